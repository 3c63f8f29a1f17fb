// docs/scale.md.
import * as Arr from "effect/Array"
import { writeFileSync } from "node:fs"
import { facts } from "../facts.js"
import { kilobytes, number, quartiles, table as markdownTable, whole } from "../format.js"
import { type Latency, type Measured, type MeasuredBatch, titles, type Writes } from "./Measured.js"

const packages = [
  "effect",
  "@effect/workflow",
  "@effect/cluster",
  "@effect/sql-libsql",
  "@effect/sql-pg"
]

const percent = (share: number): string => `${number(share * 100)} %`
const millis = (value: number): string => `${value < 100 ? number(value) : whole(value)} ms`
const latency = ({ p50Millis, p99Millis }: Latency) => `${millis(p50Millis)} / ${millis(p99Millis)}`

const kilobytesOf = (bytes: number | undefined) => (bytes === undefined ? "" : kilobytes(bytes))

/** A figure of the process, and after a plus sign the one of the database. */
const both = (show: (value: number) => string, own: number, database: number | undefined) =>
  [own, ...(database === undefined ? [] : [database])].map(show).join(" + ")

const writes = ({ rows, transactions, walBytes }: Writes) =>
  `${number(transactions)}, ${number(rows)}, ${kilobytes(walBytes)}`

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
      "transactions, rows, WAL each"
    ],
    cells.map(({ busy, engine, fill, quiet, rest, sleeping }) => [
      titles[engine],
      whole(sleeping),
      `${number(fill.perSecond)} / s`,
      kilobytes(Math.max(0, rest.heapBytes)),
      kilobytesOf(rest.storeBytes),
      both(percent, rest.cpuShare, rest.databaseShare),
      latency(quiet),
      `${number(busy.perSecond)} / s`,
      latency(busy),
      both(millis, busy.cpuMillis, busy.database?.cpuMillis),
      busy.database === undefined ? "" : writes(busy.database)
    ])
  )

/** Medians of the rounds. */
export const batchTable = (rounds: ReadonlyArray<MeasuredBatch>): string => {
  const rows = Arr.groupBy(rounds, ({ engine, name }) => `${titles[engine]}, ${name}`)
  return markdownTable(
    ["database, program", "payouts", "CPU each", "WAL each"],
    Object.entries(rows).map(([row, all]) => {
      /** Of a figure that all rounds tell. */
      const median = (of: (one: MeasuredBatch) => number | null) => {
        const values = all.map(of).filter((value) => value !== null)
        return values.length === 0 ? undefined : quartiles(values).median
      }
      const perSecond = median((one) => one.perSecond) ?? NaN
      const cpuMillis = median((one) => one.cpuMillis) ?? NaN
      const databaseMillis = median((one) => one.databaseMillis)
      return [
        row,
        `${number(perSecond)} / s`,
        both(millis, cpuMillis, databaseMillis),
        kilobytesOf(median((one) => one.walBytes))
      ]
    })
  )
}

const markdown = (cells: ReadonlyArray<Measured>, batches: ReadonlyArray<MeasuredBatch>): string =>
  [
    "# Scale",
    `Written by \`npm run bench:workflows\`. Many payouts are pending at a time:
how much does an execution cost beside thousands that sleep?`,
    facts(packages)
      .map(([what, value]) => `- ${what}: ${value}`)
      .join("\n"),
    "## Measured",
    `Each row is measured in new processes, on a new database. The service is in the same process and answers
at once, so these are the costs of the workflows alone. PostgreSQL runs on the same machine, and each commit
waits for the disk.`,
    `- put to sleep: executions that are started, create a payout and begin a durable pause, 100 starts at a time.
- heap each: of the process, for each sleeping execution, a minute later: the engine on a database lets go of what is idle for a minute. stored each: in the database.
- CPU at rest: of the process, in parts of a core, while all sleep; after the plus sign, of PostgreSQL.
- one: from the start of a \`DisbursePayout\` to its end, if only one runs and its payout is final at the first look.
- 64 at once: the same, with 64 at a time. Its p50 and p99 contain the time that they wait for each other.
- CPU each: of the runner, for each of them; after the plus sign, of PostgreSQL. Then its
  transactions, the rows that it inserts, updates and deletes, and its write-ahead log.`,
    table(cells),
    "## A batch",
    `What each payout of a \`PayoutBatch\` costs, with 64 places: a creation and one look. Beside it, in the same process
and in turns, are the same requests alone, and with a row that is written before and after them. Medians.`,
    batchTable(batches),
    "## Planning",
    `CPU adds up: for a rate of payouts, a runner, or a database, needs the rate times its CPU for each, divided by the
utilisation that you allow, such as 60 %. A payout that is still pending after its first look costs as much
again for each durable pause. Runners of one database share its shards, and two groups of runners with databases
of their own share nothing.`,
    "## Limits",
    `- Each process counts the open executions for its metrics every 10 seconds, which visits all that sleep. It is part of
  the CPU at rest.
- SQLite and memory are for one process.
- Memory keeps a fiber for each sleeping execution. The databases keep almost nothing in the process.`
  ].join("\n\n") + "\n"

export const write = (
  cells: ReadonlyArray<Measured>,
  batches: ReadonlyArray<MeasuredBatch>
): void => writeFileSync(new URL("../../docs/scale.md", import.meta.url), markdown(cells, batches))
