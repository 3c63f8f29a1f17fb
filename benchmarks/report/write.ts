// Writes docs/performance.md and its charts.
import { mkdirSync, writeFileSync } from "node:fs"
import { baseline, candidates } from "../candidates/index.js"
import type { Operation } from "../wire/messages.js"
import { barChart } from "./chart.js"
import { markdown } from "./markdown.js"
import type { Report } from "./Report.js"

const docs = new URL("../../docs/", import.meta.url)
const concurrency = 64

const charts: ReadonlyArray<readonly [operation: Operation, title: string]> = [
  ["create", "Create a payment"],
  ["list", "List 100 transactions"]
]

const chart = (report: Report, operation: Operation, title: string): string | undefined => {
  const found = report.calls?.measured.filter(
    (one) => one.operation === operation && one.concurrency === concurrency
  )
  if (found === undefined || found.length === 0) return undefined
  return barChart(
    `${title}, ${concurrency} in flight`,
    "CPU time of the client per call, as a ratio to raw undici: median and quartiles. Lower is better.",
    found.map(({ candidate, ratio }) => ({
      label: candidates.find(({ name }) => name === candidate)?.title ?? candidate,
      value: ratio,
      kind:
        candidate === baseline.name ? "base" : candidate.startsWith("manilla") ? "ours" : "other"
    }))
  )
}

export const write = (report: Report): void => {
  mkdirSync(new URL("performance/", docs), { recursive: true })
  const written = charts.flatMap(([operation, title]) => {
    const svg = chart(report, operation, title)
    if (svg === undefined) return []
    const file = `${operation}.svg`
    writeFileSync(new URL(`performance/${file}`, docs), svg)
    return [file]
  })
  writeFileSync(new URL("performance.md", docs), markdown(report, written))
}
