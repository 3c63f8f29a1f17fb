// The report as Markdown, for docs/performance.md and for a terminal.
import * as calls from "../calls/tables.js"
import * as decode from "../decode/run.js"
import * as size from "../size/run.js"
import * as waits from "../waits/run.js"
import { facts } from "./facts.js"
import { goalTable, missedReasons } from "./goals.js"
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
client runs in its own process. In each round, the clients take turns, each for a short window. A window
of raw undici precedes every third of them; each window is compared with the last window of raw undici.`,
    ...charts.map((file) => `![${file}](performance/${file})`),
    sections(calls.ratios(report.calls)),
    ...(skipped.length > 0 ? [skipped.join("\n")] : []),
    "The work of each client:",
    calls.descriptions(report.calls),
    "CPU time of raw undici per call:",
    calls.baselineMicros(report.calls),
    "## Calls per second, latency",
    "Calls per second with one core for the client, and p50 / p99 latency.",
    sections(calls.rates(report.calls)),
    "## Memory",
    `Peak heap: the largest heap of any window. Heap retained: the heap after a garbage collection at the
end, minus the heap before the first call.`,
    calls.memory(report.calls)
  ]
}

const profilesSection = ({ profiles }: Report): ReadonlyArray<string> =>
  profiles === undefined
    ? []
    : [
        "## CPU profiles",
        "Self time of Manilla on undici's dispatcher in one window, by package and by function.",
        ...profiles.flatMap(({ functions, packages, title }) => [
          `### ${title}`,
          packages(10),
          functions(20)
        ])
      ]

const decodeSection = ({ decode: decoded }: Report): ReadonlyArray<string> =>
  decoded === undefined
    ? []
    : [
        "## Decoding",
        `Time to check a parsed answer, as a ratio to the time of \`JSON.parse\` for the same text: median
(quartiles).`,
        decode.tables(decoded)
      ]

const sizeSection = ({ size: sizes }: Report): ReadonlyArray<string> =>
  sizes === undefined
    ? []
    : [
        "## Bundle",
        "Bundled and minified by esbuild, without Node's built-in modules.",
        size.bundles(sizes),
        size.packages(sizes),
        "## Import",
        "Time of a process that only imports the program, minus the time of a process that imports nothing.",
        size.imports(sizes)
      ]

const waitsSection = ({ waits: held }: Report): ReadonlyArray<string> => {
  const late = held?.find(({ kind }) => kind === "late")?.late
  return held === undefined
    ? []
    : [
        "## Many concurrent waits and calls",
        `Heap per wait after a garbage collection, while all waits sleep, compared with the minimum that Effect
needs; and heap per create whose answer never comes. The delay of a wait is the time from when its next read
was due until it ended. Pauses were from ${(late?.pauseSeconds ?? 0) / 2} to ${late?.pauseSeconds ?? 0} seconds.`,
        waits.tables(held)
      ]
}

export const markdown = (report: Report, charts: ReadonlyArray<string>): string =>
  [
    "# Performance",
    `Written by \`npm run bench\`. The client and a server that answers immediately run on one machine. Use
the figures to compare clients, not to plan capacity.`,
    facts()
      .map(([what, value]) => `- ${what}: ${value}`)
      .join("\n"),
    "## Goals",
    goalTable(report),
    ...missedReasons(report),
    ...callsSection(report, charts),
    ...profilesSection(report),
    ...decodeSection(report),
    ...sizeSection(report),
    ...waitsSection(report)
  ].join("\n\n") + "\n"
