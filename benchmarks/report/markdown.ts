// The report as Markdown, for docs/performance.md and for a terminal.
import * as calls from "../calls/tables.js"
import * as decode from "../decode/run.js"
import * as size from "../size/run.js"
import * as waits from "../waits/run.js"
import { facts } from "./facts.js"
import { goalTable } from "./goals.js"
import type { Report } from "./Report.js"

const titles: Readonly<Record<string, string>> = {
  create: "Create",
  get: "Get",
  list: "List of 100"
}

const sections = (tables: ReadonlyArray<readonly [operation: string, table: string]>): string =>
  tables
    .map(([operation, table]) => `### ${titles[operation] ?? operation}\n\n${table}`)
    .join("\n\n")

const callsSection = (report: Report, charts: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (report.calls === undefined) return []
  const skipped = Object.entries(report.calls.skipped).map(
    ([name, why]) => `- ${name} was skipped: ${why}`
  )
  return [
    "## CPU per call",
    `CPU time of the client's process per call, as a ratio to raw undici: median (quartiles). Each
client runs in a process of its own, in turn, for a short window of each round; a window of raw
undici goes before every third of them, and each is compared with the one before it.`,
    ...charts.map((file) => `![${file}](performance/${file})`),
    sections(calls.ratios(report.calls)),
    ...(skipped.length > 0 ? [skipped.join("\n")] : []),
    "What each client does:",
    calls.descriptions(report.calls),
    "What raw undici takes:",
    calls.baselineMicros(report.calls),
    "## Calls per second, latency",
    "Calls per second with one core for the client, and the p50 / p99 of their latency.",
    sections(calls.rates(report.calls)),
    "## Memory",
    `The largest heap of any window, and what is left of it after a collection at the end, beyond what
there was before the first call.`,
    calls.memory(report.calls)
  ]
}

const decodeSection = ({ decode: decoded }: Report): ReadonlyArray<string> =>
  decoded === undefined
    ? []
    : [
        "## Decoding",
        `What it takes to check an answer that is parsed already, as a ratio to \`JSON.parse\` of the same
text: median (quartiles).`,
        decode.tables(decoded)
      ]

const sizeSection = ({ size: sizes }: Report): ReadonlyArray<string> =>
  sizes === undefined
    ? []
    : [
        "## Bundle",
        "Bundled and minified by esbuild, without Node's own modules.",
        size.bundles(sizes),
        size.packages(sizes),
        "## Import",
        "A process that imports the program and ends, beyond one that imports nothing.",
        size.imports(sizes)
      ]

const waitsSection = ({ waits: held }: Report): ReadonlyArray<string> => {
  const late = held?.find(({ kind }) => kind === "late")?.late
  return held === undefined
    ? []
    : [
        "## Many at once",
        `Heap per wait while all of them sleep, after a collection, beside the least that Effect itself
takes; and heap per create whose answer never comes. A wait is late by the time from when its next
read was due until it ended; pauses were from ${(late?.pauseSeconds ?? 0) / 2} to ${late?.pauseSeconds ?? 0} seconds.`,
        waits.tables(held)
      ]
}

export const markdown = (report: Report, charts: ReadonlyArray<string>): string =>
  [
    "# Performance",
    `Written by \`npm run bench\`. A client and a server that answers at once run on one machine: the
figures are for comparing, not for planning.`,
    facts()
      .map(([what, value]) => `- ${what}: ${value}`)
      .join("\n"),
    "## Goals",
    goalTable(report),
    ...callsSection(report, charts),
    ...decodeSection(report),
    ...sizeSection(report),
    ...waitsSection(report)
  ].join("\n\n") + "\n"
