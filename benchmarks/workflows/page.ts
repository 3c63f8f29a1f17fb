// Writes docs/scale.md and its plots from the results.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { lineChart } from "../report/chart.js"
import { type Fact, machine, versions } from "../report/facts.js"
import { kilobytes, megabytes, number, table as markdownTable } from "../report/format.js"
import { engines, type Measured, titles } from "./Measured.js"
import { assumptions, type Payday, plan, shards } from "./payday.js"

const docs = new URL("../../docs/", import.meta.url)
export const results = new URL("scale/results.json", docs)

export interface Results {
  /** The machine of the latest cell. */
  readonly facts: ReadonlyArray<Fact>
  readonly cells: ReadonlyArray<Measured>
}

export const read = (): Results =>
  existsSync(results) ? JSON.parse(readFileSync(results, "utf8")) : { facts: [], cells: [] }

/** The results with a new cell, which replaces an earlier one of the same engine and size. */
export const merged = ({ cells }: Results, cell: Measured): Results => ({
  facts: [
    ...machine(),
    versions([
      "effect",
      "@effect/workflow",
      "@effect/cluster",
      "@effect/sql-libsql",
      "@effect/sql-pg"
    ])
  ],
  cells: [
    ...cells.filter(({ engine, sleeping }) => engine !== cell.engine || sleeping !== cell.sleeping),
    cell
  ].sort(
    (one, other) =>
      engines.indexOf(one.engine) - engines.indexOf(other.engine) || one.sleeping - other.sleeping
  )
})

const whole = (value: number): string => Math.round(value).toLocaleString("en")
const millis = (value: number): string => `${value < 100 ? number(value) : whole(value)} ms`

const unfinishedText = ({ limitMinutes, unfinished }: Measured): string =>
  unfinished === undefined ? "" : `not finished in ${limitMinutes} min: ${unfinished}`

export const table = (cells: ReadonlyArray<Measured>): string =>
  markdownTable(
    [
      "engine",
      "sleeping",
      "put to sleep",
      "heap each",
      "stored each",
      "CPU at rest",
      "one: p50 / p99",
      "64 at once",
      "p50 / p99",
      "CPU each",
      ""
    ],
    cells.map((cell) => {
      const { busy, engine, fill, quiet, rest, sleeping } = cell
      return [
        titles[engine],
        whole(sleeping),
        fill === undefined ? "" : `${number(fill.perSecond)} / s`,
        rest === undefined ? "" : kilobytes(Math.max(0, rest.heapBytes)),
        rest?.storeBytes === undefined ? "" : kilobytes(rest.storeBytes),
        rest === undefined
          ? ""
          : `${number(rest.cpuShare * 100)} %${rest.databaseShare === undefined ? "" : ` + ${number(rest.databaseShare * 100)} %`}`,
        quiet === undefined ? "" : `${millis(quiet.p50Millis)} / ${millis(quiet.p99Millis)}`,
        busy === undefined ? "" : `${number(busy.perSecond)} / s`,
        busy === undefined ? "" : `${millis(busy.p50Millis)} / ${millis(busy.p99Millis)}`,
        busy === undefined
          ? ""
          : `${millis(busy.cpuMillis)}${busy.database?.cpuMillis === undefined ? "" : ` + ${millis(busy.database.cpuMillis)}`}`,
        unfinishedText(cell)
      ]
    })
  )

interface Plot {
  readonly file: string
  readonly title: string
  readonly note: string
  readonly y: (cell: Measured) => number | undefined
}

const plots: ReadonlyArray<Plot> = [
  {
    file: "rate.svg",
    title: "Executions per second, beside sleeping ones",
    note: "64 at once; the sleeping executions from left to right. Higher is better.",
    y: ({ busy }) => busy?.perSecond
  },
  {
    file: "latency.svg",
    title: "From start to end, in milliseconds, beside sleeping ones",
    note: "p50 of single executions; the sleeping ones from left to right. Lower is better.",
    y: ({ quiet }) => quiet?.p50Millis
  },
  {
    file: "memory.svg",
    title: "Heap of the process, in megabytes, for all sleeping executions",
    note: "After a garbage collection; the sleeping executions from left to right. Lower is better.",
    y: ({ rest, sleeping }) =>
      rest === undefined ? undefined : Math.max(0.01, (rest.heapBytes * sleeping) / 1_000_000)
  }
]

const chart = ({ note, title, y }: Plot, cells: ReadonlyArray<Measured>): string | undefined => {
  const lines = engines.flatMap((engine) => {
    const points = cells.flatMap((cell) => {
      const value = y(cell)
      return cell.engine === engine && value !== undefined && value > 0
        ? [{ x: cell.sleeping, y: value }]
        : []
    })
    return points.length === 0 ? [] : [{ label: titles[engine], points }]
  })
  return lines.length === 0 ? undefined : lineChart(title, note, lines)
}

const percent = (share: number): string => `${number(share * 100)} %`

const paydaySection = (payday: Payday): ReadonlyArray<string> => {
  const { basis } = payday
  const { busy } = basis
  return [
    "## A country's payday",
    `${whole(assumptions.payouts)} payouts in ${assumptions.hours} hours, by calculation from the row "${titles[basis.engine]}, ${whole(basis.sleeping)} sleeping" above: ${millis(busy?.cpuMillis ?? NaN)} of a runner's CPU and ${millis(busy?.database?.cpuMillis ?? NaN)} of PostgreSQL's for each payout, ${number(busy?.database?.transactions ?? NaN)} transactions, ${number(busy?.database?.rows ?? NaN)} rows written and ${kilobytes(busy?.database?.walBytes ?? NaN)} of write-ahead log. The calculation is in \`benchmarks/workflows/payday.ts\`.`,
    markdownTable(
      ["quantity", "needed", "how it is computed"],
      [
        ["payouts", `${whole(payday.perSecond)} / s`, "payouts, divided by the window"],
        [
          "stored payouts and pauses",
          `${whole(payday.unitsPerSecond)} / s`,
          `a late payout has ${payday.latePauses} pauses; a pause and its look store as many rows as a payout`
        ],
        [
          "runners, one core each",
          whole(payday.runners),
          `CPU of a runner, at ${percent(assumptions.utilisation)} utilisation`
        ],
        [
          "shards",
          `${shards}`,
          payday.runners / payday.groups > shards
            ? "too few: a runner without a shard has no work"
            : `fixed; about ${number((shards * payday.groups) / payday.runners)} for each runner`
        ],
        [
          "cores of PostgreSQL",
          whole(payday.databaseCores),
          `its CPU, at ${percent(assumptions.utilisation)} utilisation`
        ],
        [
          "databases, each with its own runners",
          whole(payday.groups),
          `servers of ${assumptions.databaseCores} cores`
        ],
        ["transactions", `${whole(payday.transactionsPerSecond)} / s`, "over all databases"],
        ["rows written", `${whole(payday.rowsPerSecond)} / s`, "over all databases"],
        [
          "write-ahead log",
          `${megabytes(payday.walBytesPerSecond)} / s`,
          "over all databases; the bandwidth of disks and replicas"
        ],
        [
          "stored at the end",
          `${whole(payday.storedBytes / 1e9)} GB`,
          "until it is purged; see `Executions.layerRetention`"
        ],
        [
          "creations at the service",
          `${whole(payday.createsPerSecond)} / s`,
          "one for each payout"
        ],
        [
          "reads at the service",
          `${whole(payday.readsPerSecond)} / s`,
          `${payday.usualReads} for a usual payout, ${payday.lateReads} for a late one`
        ],
        [
          "payouts in a look at a time",
          whole(payday.looking),
          "in memory, over all runners: rate × pending time"
        ],
        [
          "sleeping at a time",
          whole(payday.sleeping),
          `late payouts, in the database; ${basis.sleeping < payday.sleeping ? "more than in the measurement: measure that first" : "fewer than in the measurement"}`
        ],
        [
          "batches",
          `${whole(payday.batches)}, ${whole(payday.batchesAtOnce)} at a time`,
          `of 10,000 items, with a concurrency of ${assumptions.batchConcurrency}`
        ]
      ]
    ),
    `With one runner and its database on the measured machine, this payday would take ${whole(payday.hoursWithOne)} hours.`,
    "Assumptions:",
    [
      `- ${percent(1 - assumptions.lateShare)} of the payouts are final after ${assumptions.usualSeconds} seconds, within their first look. The others are pending for ${whole(assumptions.lateSeconds / 60)} minutes. Nobody knows this of the real service: measure it with a small batch, and change \`assumptions\`.`,
      "- The policy is the default one, with the mean of its jitter. A longer `look.initial` means fewer reads.",
      "- The service accepts this rate. Its interface shows no rate limit: ask before. Answers that take longer cost no CPU, but keep more payouts in memory.",
      "- CPU adds up: twice the runners do twice the work. A row of three runners above, where there is one, shows how far that holds on one machine with few cores.",
      "- A core of yours is as fast as one of the measured machine, and PostgreSQL's disk keeps up with the write-ahead log. Each commit waits for the disk.",
      `- Each database has its own group of runners and a part of the payouts, for example by employer: two groups share nothing. The number of shards, ${shards}, is the most runners of a group.`
    ].join("\n")
  ]
}

export const markdown = ({ cells, facts }: Results, charts: ReadonlyArray<string>): string => {
  const payday = plan(cells)
  return (
    [
      "# Scale",
      `Written by \`npm run bench:workflows\` from \`docs/scale/results.json\`. Many payouts are pending at a time:
how much does an execution cost beside thousands that sleep? At the end is a plan for a country's payday.`,
      facts.map(([what, value]) => `- ${what}: ${value}`).join("\n"),
      "## Measured",
      `Each row is measured in new processes, on a new database. The service is in the same process and answers
at once, so these are the costs of the workflows alone. PostgreSQL runs on the same machine, and each commit
waits for the disk.`,
      `- put to sleep: executions that are started, create a payout and begin a durable pause, 100 starts at a time.
- heap each: of the process, for each sleeping execution, a minute later: the engine on a database lets go of what is idle for a minute. stored each: in the database.
- CPU at rest: of the process, in parts of a core, while all sleep; after the plus sign, of PostgreSQL.
- one: from the start of a \`DisbursePayout\` to its end, if only one runs and its payout is final at the first look.
- 64 at once: the same, with 64 at a time. Its p50 and p99 contain the time that they wait for each other.
- CPU each: of all runners, for each of them; after the plus sign, of PostgreSQL.`,
      table(cells),
      ...charts.map((file) => `![${file}](scale/${file})`),
      ...(payday === undefined
        ? ["There is no plan: no row of PostgreSQL with one runner is whole."]
        : paydaySection(payday)),
      "## Limits",
      `- A batch reads its stored items, up to 3 MB for 10,000 of them, twice each time that it looks for items to start,
  which is at most five times a second. With many batches at a time on one database, use smaller ones.
- Each process counts the open executions for its metrics every 10 seconds, which visits all that sleep. It is part of
  the CPU at rest.
- SQLite and memory are for one process.
- Memory keeps a fiber for each sleeping execution. The databases keep almost nothing in the process.
- A cell that was not finished in its limit says so. Its other columns are empty, and nothing is extrapolated.`
    ].join("\n\n") + "\n"
  )
}

export const write = (all: Results): void => {
  mkdirSync(new URL("scale/", docs), { recursive: true })
  writeFileSync(results, `${JSON.stringify(all, null, 2)}\n`)
  const written = plots.flatMap((plot) => {
    const svg = chart(plot, all.cells)
    if (svg === undefined) return []
    writeFileSync(new URL(`scale/${plot.file}`, docs), svg)
    return [plot.file]
  })
  writeFileSync(new URL("scale.md", docs), markdown(all, written))
}
