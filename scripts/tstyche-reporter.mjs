// Writes the counts of the type tests for scripts/report.mjs.
import { mkdirSync, writeFileSync } from "node:fs"

export default class CountsReporter {
  on([event, payload]) {
    if (event !== "run:end") return
    const { fileCounts, testCounts } = payload.result
    mkdirSync(".reports", { recursive: true })
    writeFileSync(".reports/tstyche.json", JSON.stringify({ fileCounts, testCounts }))
  }
}
