// Kills processes, and fails if money was made, lost or moved twice, or if an execution did not end.
//
// On SQLite or PostgreSQL, it kills the processes that run workflows, starts new executions in each of their
// lives, and prints a report. On PostgreSQL, it also stops runners and restarts the database. With
// `batch-`, the executions are batches of payouts, one for each fifty kills. `payroll` is one long batch on SQLite.
//
// `dbos`, `restate`, `openworkflow` and `effect` are the engines of others, on which more answers are lost.
//
// On the sandbox, it sends concurrent requests with one key, and kills the command with a data file.
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { quantileOf } from "../benchmarks/format.js"
import * as sandboxKills from "../packages/sandbox/prove/utils/kills.js"
import * as oneKey from "../packages/sandbox/prove/utils/oneKey.js"
import * as clusterKills from "../packages/workflows/prove/utils/clusterKills.js"
import { otherEngines } from "../packages/workflows/prove/utils/otherEngines.js"
import * as sqliteKills from "../packages/workflows/prove/utils/kills.js"
import * as payroll from "../packages/workflows/prove/utils/payroll.js"
import { count, runCommand } from "./cli.js"

const kills = count("kills", 100, "how many")
const seed = count("seed", 1, "of what happens when")
const longestLifeSeconds = count("life", 3, "the longest life of a process, in seconds")
const runners = count("runners", 3, "processes on the database")
const common = { kills, longestLifeSeconds, seed }
const jobs = { jobsPerLife: count("jobs", 6, "new executions in each life of a process") }
const items = { itemsPerBatch: count("items", 2_000, "payouts of a batch") }

const onKill = (done: number) => (done % 10 === 0 ? Console.error(`${done} kills`) : Effect.void)

interface Report {
  readonly violations: ReadonlyArray<string>
  /** Sorted. */
  readonly recoveryMillis: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Prints a report, and fails the program if something did not hold. */
const print = ({ recoveryMillis, violations, ...report }: Report) =>
  Effect.gen(function* () {
    const recoveries = Array.from(recoveryMillis, ([name, sorted]) => [
      name,
      { measured: sorted.length, median: quantileOf(sorted, 0.5), longest: sorted.at(-1) }
    ])
    const shown = { ...report, recoveryMillis: Object.fromEntries(recoveries) }
    yield* Console.log(JSON.stringify(shown, undefined, 2))
    yield* Effect.forEach(violations, (one) => Console.error(`VIOLATION  ${one}`))
    if (violations.length > 0) process.exitCode = 1
  })

const onSqlite = (options: Parameters<typeof sqliteKills.run>[0]) =>
  Effect.flatMap(sqliteKills.run({ ...options, onKill }), print)

const onPostgres = (options: Parameters<typeof clusterKills.run>[0]) =>
  Effect.flatMap(clusterKills.run({ ...options, onKill }), print)

const payrollOptions = {
  rows: count("rows", 1_000_000, "of the payroll"),
  kills: count("kills", 5, "how many"),
  seed
}

const onPayroll = (options: Parameters<typeof payroll.run>[0]) =>
  Effect.flatMap(
    payroll.run({ ...options, longestRecoveryMillis: 10_000, onStep: Console.error }),
    print
  )

const told = <A, E>(name: string, self: Effect.Effect<A, E>) =>
  Effect.flatMap(self, (result) => Console.log(`${name}: ${JSON.stringify(result)}`))

const sandboxOptions = {
  kills,
  requests: count("requests", 10_000, "requests at once with one key")
}

const onSandbox = ({ kills, requests }: Command.Command.ParseConfig<typeof sandboxOptions>) =>
  Effect.gen(function* () {
    yield* told(`${requests} concurrent requests, one key`, oneKey.run(requests))
    const killed = Effect.promise(() => sandboxKills.run({ kills, callers: 16 }))
    yield* told(`${kills} kills`, killed)
  })

const soak = Command.make("npm run soak --").pipe(
  Command.withSubcommands([
    Command.make("sqlite", { ...common, ...jobs }, onSqlite),
    Command.make("postgres", { ...common, ...jobs, runners }, onPostgres),
    Command.make("batch-sqlite", { ...common, ...items }, (options) =>
      onSqlite({ ...options, jobsPerLife: 0.02 })
    ),
    Command.make("batch-postgres", { ...common, ...items, runners }, (options) =>
      onPostgres({ ...options, jobsPerLife: 0.02 })
    ),
    ...Object.entries(otherEngines).map(([name, other]) =>
      Command.make(name, { ...common, ...jobs, runners }, (options) =>
        onPostgres({ ...options, other })
      )
    ),
    Command.make("payroll", payrollOptions, onPayroll),
    Command.make("sandbox", sandboxOptions, onSandbox)
  ])
)

runCommand(soak)
