// Kills processes, and fails if money was made, lost or moved twice, or if an execution did not end.
//
// On SQLite or PostgreSQL, it kills the processes that run workflows, starts new executions in each of their
// lives, and prints a report in Markdown. On PostgreSQL, it also stops runners and restarts the database. With
// `batch-`, the executions are batches of payouts, each of which is there for about ten kills.
//
// On the sandbox, it checks the ledger after each of many random operations, concurrent requests with one key,
// and kills of the command with a data file.
import { NodeRuntime } from "@effect/platform-node"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { quantileOf, table } from "../benchmarks/format.js"
import * as sandboxKills from "../packages/sandbox/prove/utils/kills.js"
import * as oneKey from "../packages/sandbox/prove/utils/oneKey.js"
import * as randomOperations from "../packages/sandbox/prove/utils/randomOperations.js"
import * as clusterKills from "../packages/workflows/prove/utils/clusterKills.js"
import * as kills from "../packages/workflows/prove/utils/kills.js"
import { read } from "./options.js"

const usage = `npm run soak -- sqlite [--kills N] [--jobs N] [--seed N]
npm run soak -- postgres [--kills N] [--jobs N] [--seed N] [--runners N]
npm run soak -- batch-sqlite [--kills N] [--items N] [--seed N]
npm run soak -- batch-postgres [--kills N] [--items N] [--seed N] [--runners N]
npm run soak -- sandbox [--kills N] [--operations N] [--requests N] [--seed N]`

const { values, word } = read(
  usage,
  {
    kills: 100,
    jobs: 6,
    items: 2_000,
    seed: 1,
    runners: 3,
    operations: 1_000_000,
    requests: 10_000
  },
  (one) => ["sqlite", "postgres", "batch-sqlite", "batch-postgres", "sandbox"].includes(one)
)

const onKill = (count: number) =>
  count % 10 === 0 ? Console.error(`${count} of ${values.kills} kills`) : Effect.void

const hasBatches = word?.startsWith("batch") ?? false
const options = {
  kills: values.kills,
  ...(hasBatches
    ? { jobsPerLife: 0.1, itemsPerBatch: values.items }
    : { jobsPerLife: values.jobs }),
  seed: values.seed,
  onKill
}

/** The figures that both engines report. */
interface Report {
  readonly kills: number
  readonly earlyKills: number
  readonly jobs: number
  readonly jobsKilled: number
  readonly creations: number
  readonly databaseBytes: number
  readonly violations: ReadonlyArray<string>
}

/** Prints a report, and fails the program if something did not hold. */
const print = (
  report: Report,
  facts: Readonly<Record<string, string | number>>,
  recoveries: Iterable<readonly [name: string, sorted: ReadonlyArray<number>]>
) =>
  Effect.gen(function* () {
    const all = {
      ...facts,
      kills: `${report.kills}, of which ${report.earlyKills} before the engine ran`,
      [hasBatches ? "items of batches" : "business keys"]:
        `${report.jobs}, of which ${report.jobsKilled} were sent before the last kill`,
      "creation requests": report.creations,
      database: `${Math.round(report.databaseBytes / 1024)} KiB`,
      violations: report.violations.length
    }
    yield* Console.log(
      table(
        ["", ""],
        Object.entries(all).map(([name, value]) => [name, String(value)])
      )
    )
    const parts = [0.5, 0.9, 0.99, 1]
    const rows = [...recoveries].map(([name, sorted]) => [
      name,
      String(sorted.length),
      ...parts.map((part) => `${Math.round(quantileOf(sorted, part))} ms`)
    ])
    const head = ["recovery", "measured", ...parts.map((part) => `${part * 100} %`)]
    yield* Console.log(`\n${table(head, rows)}`)
    yield* Effect.forEach(report.violations, (one) => Console.error(`VIOLATION  ${one}`))
    if (report.violations.length > 0) process.exitCode = 1
  })

const sqlite = Effect.flatMap(kills.run(options), (report) =>
  print(report, { engine: "SQLite" }, [["from the start of the engine", report.recoveryMillis]])
)

const expirationSeconds = 3
const { runners } = values
const postgres = Effect.flatMap(
  clusterKills.run({ ...options, runners, expirationSeconds }),
  (report) =>
    print(
      report,
      {
        engine: `PostgreSQL, ${runners} runners, taken for dead after ${expirationSeconds} s`,
        "runners stopped for 1.5 times as long": report.pauses,
        "restarts and crashes of the database": report.databaseRestarts,
        "runners that were not ready within a minute": report.hungStarts
      },
      report.recoveryMillis
    )
)

const timed = <A, E>(name: string, self: Effect.Effect<A, E>) =>
  Effect.flatMap(Effect.timed(self), ([duration, result]) =>
    Console.log(
      `${name}: ${JSON.stringify(result)} in ${Math.round(Duration.toMillis(duration))} ms`
    )
  )

const sandbox = Effect.gen(function* () {
  const { operations, requests, seed } = values
  yield* timed(
    `${operations} random operations, seed ${seed}`,
    randomOperations.run({ operations, seed })
  )
  yield* timed(`${requests} concurrent requests, one key`, oneKey.run(requests))
  yield* timed(
    `${values.kills} kills`,
    Effect.promise(() => sandboxKills.run({ kills: values.kills, callers: 16 }))
  )
})

NodeRuntime.runMain(word === "sandbox" ? sandbox : word?.endsWith("postgres") ? postgres : sqlite)
