// docs/scale.md, from docs/scale/results.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { type Fact, facts } from "../facts.js"
import { kilobytes, number, table as markdownTable, whole } from "../format.js"
import { engines, type Latency, type Measured, titles, type Writes } from "./Measured.js"

const docs = new URL("../../docs/", import.meta.url)
const results = new URL("scale/results.json", docs)

const packages = [
  "effect",
  "@effect/workflow",
  "@effect/cluster",
  "@effect/sql-libsql",
  "@effect/sql-pg"
]

interface Results {
  /** The machine of the latest cell. */
  readonly facts: ReadonlyArray<Fact>
  readonly cells: ReadonlyArray<Measured>
}

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
      "transactions, rows, WAL each",
      ""
    ],
    cells.map(({ busy, engine, fill, limitMinutes, quiet, rest, sleeping, unfinished }) => [
      titles[engine],
      whole(sleeping),
      fill === undefined ? "" : `${number(fill.perSecond)} / s`,
      rest === undefined ? "" : kilobytes(Math.max(0, rest.heapBytes)),
      kilobytesOf(rest?.storeBytes),
      rest === undefined ? "" : both(percent, rest.cpuShare, rest.databaseShare),
      quiet === undefined ? "" : latency(quiet),
      busy === undefined ? "" : `${number(busy.perSecond)} / s`,
      busy === undefined ? "" : latency(busy),
      busy === undefined ? "" : both(millis, busy.cpuMillis, busy.database?.cpuMillis),
      busy?.database === undefined ? "" : writes(busy.database),
      unfinished === undefined ? "" : `not finished in ${limitMinutes} min: ${unfinished}`
    ])
  )

const markdown = ({ cells, facts }: Results): string =>
  [
    "# Scale",
    `Written by \`npm run bench:workflows\` from \`docs/scale/results.json\`. Many payouts are pending at a time:
how much does an execution cost beside thousands that sleep?`,
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
- CPU each: of the runner, for each of them; after the plus sign, of PostgreSQL. Then its
  transactions, the rows that it inserts, updates and deletes, and its write-ahead log.`,
    table(cells),
    "## Planning",
    `CPU adds up: for a rate of payouts, a runner, or a database, needs the rate times its CPU for each, divided by the
utilisation that you allow, such as 60 %. A payout that is still pending after its first look costs as much
again for each durable pause. Runners of one database share its shards, and two groups of runners with databases
of their own share nothing.`,
    "## Limits",
    `- A batch reads its stored items, up to 3 MB for 10,000 of them, twice each time that it looks for items to start,
  which is at most five times a second. With many batches at a time on one database, use smaller ones.
- Each process counts the open executions for its metrics every 10 seconds, which visits all that sleep. It is part of
  the CPU at rest.
- SQLite and memory are for one process.
- Memory keeps a fiber for each sleeping execution. The databases keep almost nothing in the process.
- A cell that was not finished in its limit says so. Its other columns are empty, and nothing is extrapolated.`
  ].join("\n\n") + "\n"

const read = (): Results =>
  existsSync(results) ? JSON.parse(readFileSync(results, "utf8")) : { facts: [], cells: [] }

const write = (all: Results): void => {
  mkdirSync(new URL(".", results), { recursive: true })
  writeFileSync(results, `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(new URL("scale.md", docs), markdown(all))
}

/** Writes the page again. */
export const rewrite = (): void => write(read())

/** Adds a cell, which replaces an earlier one of the same engine and size, and writes the page. */
export const add = (cell: Measured): void => {
  const others = read().cells.filter(
    ({ engine, sleeping }) => engine !== cell.engine || sleeping !== cell.sleeping
  )
  const cells = [...others, cell].sort(
    (one, other) =>
      engines.indexOf(one.engine) - engines.indexOf(other.engine) || one.sleeping - other.sleeping
  )
  write({ facts: facts(packages), cells })
}
