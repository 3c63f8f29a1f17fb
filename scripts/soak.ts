// `npm run soak -- [--engine sqlite|postgres] [--kills N] [--runners N] [--jobs JOBS] [--seed SEED]` kills the
// processes that run workflows N times, starts JOBS new executions in each of their lives, and prints a report
// in Markdown. On PostgreSQL, it also stops runners and restarts the database. It fails if a business key did
// not move money exactly once, or if an execution did not end.
import { NodeRuntime } from "@effect/platform-node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as clusterKills from "../packages/workflows/prove/utils/clusterKills.js"
import * as kills from "../packages/workflows/prove/utils/kills.js"

const usage =
  "npm run soak -- [--engine sqlite|postgres] [--kills N] [--runners N] [--jobs JOBS] [--seed SEED]"

/** Reports a usage error and exits. */
const refuse = (problem: string): never => {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

const parse = () => {
  try {
    return parseArgs({
      options: {
        engine: { type: "string", default: "sqlite" },
        kills: { type: "string", default: "100" },
        runners: { type: "string" },
        jobs: { type: "string", default: "6" },
        seed: { type: "string", default: "1" }
      }
    }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const positive = (name: string, text: string): number =>
  /^[1-9]\d{0,8}$/.test(text)
    ? Number(text)
    : refuse(`--${name} must be a positive integer: ${text}`)

const values = parse()
const all = positive("kills", values.kills)
const jobsPerLife = positive("jobs", values.jobs)
const seed = positive("seed", values.seed)
const runners = positive("runners", values.runners ?? "3")

const onKill = (count: number) =>
  count % 10 === 0 ? Console.error(`${count} of ${all} kills`) : Effect.void

const percentile = (sorted: ReadonlyArray<number>, part: number): string =>
  `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN)} ms`

const recoveryRow = (name: string, sorted: ReadonlyArray<number>): string =>
  `| ${[name, sorted.length, ...[0.5, 0.9, 0.99, 1].map((part) => percentile(sorted, part))].join(" | ")} |`

/** Prints a report, and returns whether everything held. */
const print = (
  facts: Readonly<Record<string, string | number>>,
  recoveries: ReadonlyArray<readonly [name: string, sorted: ReadonlyArray<number>]>,
  violations: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const table = [
      "| | |",
      "| --- | --- |",
      ...Object.entries(facts).map(([name, value]) => `| ${name} | ${value} |`),
      `| violations | ${violations.length} |`,
      "",
      "| recovery | measured | 50 % | 90 % | 99 % | 100 % |",
      "| --- | --- | --- | --- | --- | --- |",
      ...recoveries.map(([name, sorted]) => recoveryRow(name, sorted))
    ]
    yield* Console.log(table.join("\n"))
    yield* Effect.forEach(violations, (violation) => Console.error(`VIOLATION  ${violation}`))
    if (violations.length > 0) process.exitCode = 1
  })

const kibibytes = (bytes: number): string => `${Math.round(bytes / 1024)} KiB`

const sqlite = Effect.gen(function* () {
  if (values.runners !== undefined) refuse("--runners is for --engine postgres")
  const report = yield* kills.run({ kills: all, jobsPerLife, seed, onKill })
  yield* print(
    {
      engine: "SQLite",
      kills: `${report.kills}, of which ${report.earlyKills} before the engine ran`,
      "business keys": `${report.jobs}, of which ${report.jobsKilled} were sent before the last kill`,
      "creation requests": report.creations,
      database: kibibytes(report.databaseBytes)
    },
    [["from the start of the engine", report.recoveryMillis]],
    report.violations
  )
})

const postgres = Effect.gen(function* () {
  const lockSeconds = 3
  const report = yield* clusterKills.run({
    runners,
    kills: all,
    jobsPerLife,
    lockSeconds,
    seed,
    onKill
  })
  yield* print(
    {
      engine: `PostgreSQL, ${runners} runners, locks expire after ${lockSeconds} s`,
      kills: `${report.kills}, of which ${report.earlyKills} before the engine ran`,
      "runners stopped for 1.5 times the life of their locks": report.pauses,
      "restarts and crashes of the database": report.databaseRestarts,
      "runners that were not ready within a minute": report.hungStarts,
      "business keys": `${report.jobs}, of which ${report.jobsKilled} were sent before the last kill`,
      "creation requests": report.creations,
      database: kibibytes(report.databaseBytes)
    },
    [...report.recoveryMillis],
    report.violations
  )
})

const programs = new Map([
  ["sqlite", sqlite],
  ["postgres", postgres]
])

NodeRuntime.runMain(
  programs.get(values.engine) ?? refuse(`--engine must be sqlite or postgres: ${values.engine}`)
)
