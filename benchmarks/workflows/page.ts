// docs/scale.md.
import { facts } from "../facts.js"
import {
  atLeast,
  atMost,
  goalTable,
  kilobytes,
  median,
  millis,
  number,
  percent,
  perSecond,
  table
} from "../format.js"
import type { Cell, Measured } from "./measure.js"
import { type Name, names, programs, waitMillis } from "./programs.js"

/** A program in one round. */
export interface Round {
  readonly name: Name
  readonly measured: Measured
}

export interface Report {
  readonly rounds: Array<Round>
  readonly waits: Array<Round>
  readonly cells: Array<Cell>
}

const rateOf = ({ count, millis }: Measured): number => (count / millis) * 1000

/** The cost of a payout: medians of the rounds. */
const costOf = (rounds: ReadonlyArray<Round>, name: Name) => {
  const own = rounds.filter((round) => round.name === name)
  const of = (figure: (one: Measured) => number) =>
    median(own.map(({ measured }) => figure(measured)))
  return {
    rate: of(rateOf),
    cpuMillis: of(({ count, cpuMillis }) => cpuMillis / count),
    databaseMillis: of(({ count, store }) => store.cpuMillis / count),
    walBytes: of(({ count, store }) => store.walBytes / count),
    storedBytes: of(({ count, store }) => store.bytes / count)
  }
}

const sumOf = (cost: ReturnType<typeof costOf>) => cost.cpuMillis + cost.databaseMillis

const goals = ({ rounds, waits }: Report) => {
  const of = (name: Name) => costOf(rounds, name)
  const batch = of("postgresBatch")
  const onSqlite = of("sqliteBatch")
  const single = of("postgres")
  const dbos = of("dbos")
  // Where the goal is from, the worker of DBOS takes 1.7 ms, and this may take 1.5.
  const inMemory = (1.5 / 1.7) * dbos.cpuMillis
  return [
    atMost("`PayoutBatch`, PostgreSQL: CPU of the worker, an item", 0.6, batch.cpuMillis, millis),
    atMost("the same: CPU of PostgreSQL", 0.2, batch.databaseMillis, millis),
    atLeast("the same: items", 1500, batch.rate, perSecond),
    atMost("`PayoutBatch`, SQLite: CPU, an item", 0.8, onSqlite.cpuMillis, millis),
    atLeast("the same: items", 1200, onSqlite.rate, perSecond),
    atMost("one payout, PostgreSQL: all CPU, beside DBOS", sumOf(dbos), sumOf(single), millis),
    atLeast("the same: payouts, beside DBOS", dbos.rate, single.rate, perSecond),
    atMost(
      "`DisbursePayout` on DBOS: all CPU, beside 1.3 times DBOS with a note",
      1.3 * sumOf(of("dbosNoted")),
      sumOf(of("dbosSteps")),
      millis
    ),
    atMost("one payout, SQLite: CPU", 5, of("sqlite").cpuMillis, millis),
    atMost("one payout, memory: CPU, beside DBOS", inMemory, of("memory").cpuMillis, millis),
    ...waits.map(({ measured: { p50Millis }, name }) =>
      atMost(`\`await\` of ${waitMillis} ms, ${programs[name].title}: p50`, 100, p50Millis, millis)
    )
  ]
}

/** A figure of the process, and after a plus sign the one of the database. */
const both = (show: (value: number) => string, own: number, database: number): string =>
  [own, database]
    .filter((value) => !Number.isNaN(value))
    .map(show)
    .join(" + ")

const latency = ({ p50Millis, p99Millis }: Measured): string =>
  `${number(p50Millis)} / ${millis(p99Millis)}`

const payoutTable = ({ rounds }: Report): string =>
  table(
    ["program", "payouts", "CPU of the worker", "of the database", "WAL", "stored"],
    names
      .filter((wanted) => rounds.some(({ name }) => name === wanted))
      .map((name) => {
        const { cpuMillis, databaseMillis, rate, storedBytes, walBytes } = costOf(rounds, name)
        return [
          programs[name].title,
          perSecond(rate),
          millis(cpuMillis),
          millis(databaseMillis),
          kilobytes(walBytes),
          kilobytes(storedBytes)
        ]
      })
  )

const cellTable = ({ cells }: Report): string =>
  table(
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
      "WAL each"
    ],
    cells.map(({ busy, filled, heapBytesEach, name, quiet, rest, sleeping }) => [
      programs[name].title,
      number(sleeping),
      perSecond(rateOf(filled)),
      kilobytes(Math.max(0, heapBytesEach)),
      kilobytes(filled.store.bytes / sleeping),
      both(percent, rest.cpuMillis / rest.millis, rest.store.cpuMillis / rest.millis),
      latency(quiet),
      perSecond(rateOf(busy)),
      latency(busy),
      both(millis, busy.cpuMillis / busy.count, busy.store.cpuMillis / busy.count),
      kilobytes(busy.store.walBytes / busy.count)
    ])
  )

const tenMillion = ({ rounds }: Report): string => {
  const { cpuMillis, databaseMillis, storedBytes } = costOf(rounds, "postgresBatch")
  const cores = (eachMillis: number) => number((eachMillis * 10_000) / (4 * 3_600))
  return `${cores(cpuMillis)} cores of runners, ${cores(databaseMillis)} cores of PostgreSQL, and ${number(storedBytes / 100)} GB`
}

export const markdown = (report: Report): string =>
  [
    "# Scale",
    "Written by `npm run bench:workflows`. The cost of a durable payout, alone and beside thousands that sleep.",
    facts([
      "effect",
      "@effect/workflow",
      "@dbos-inc/dbos-sdk",
      "@restatedev/restate-sdk",
      "openworkflow",
      "graphile-worker"
    ]),
    `Each measurement has a new process, and a new database on the same machine, where each commit waits for the disk. The
worker has one core. PostgreSQL, or the server of Restate, shares the other with the service, which answers at once. All programs send
the same requests with Manilla's client over undici: one creates the payout, one looks at it.`,
    "## Goals",
    goalTable(goals(report)),
    "## One payout",
    "64 at once, in turns of a few seconds. Medians of the rounds, each figure for one payout.",
    payoutTable(report),
    `The note is a step that is stored before the request. It tells a later life that the request may have left, and when: a
refusal then shows nothing, and a key that is too old is not sent again. Every durable write of Manilla has one.`,
    "## Beside sleeping executions",
    `- put to sleep: executions that are started, create a payout and begin a durable pause, 100 starts at a time.
- heap each: of the process, for each sleeping execution, once an engine on a database has let go of what is idle.
- CPU at rest: of the process, in parts of a core, while all sleep; after the plus sign, of PostgreSQL.
- one: from the start of a \`DisbursePayout\` until it is awaited, if only one runs.
- 64 at once: the same, with 64 at a time. Its p50 and p99 contain the time that they wait for each other.`,
    cellTable(report),
    "## Planning",
    `CPU adds up: a rate of payouts needs the rate times its CPU for each, divided by the utilisation that you allow. Ten
million payouts in four hours, in batches on PostgreSQL, need ${tenMillion(report)}.
A payout that is still pending after its first look costs as much again for each durable pause. Runners of one database
share its executions. Memory is for one process, and SQLite for one machine.`
  ].join("\n\n") + "\n"
