// Leaves the type tests' counts where scripts/report.mjs reads them.
import { mkdirSync, writeFileSync } from "node:fs"

export default class CountsReporter {
  on([event, payload]) {
    if (event !== "run:end") return
    const { fileCounts, testCounts } = payload.result
    mkdirSync(".reports", { recursive: true })
    writeFileSync(".reports/tstyche.json", JSON.stringify({ fileCounts, testCounts }))
  }
}
