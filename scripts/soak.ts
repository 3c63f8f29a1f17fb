// `npm run soak -- [--engine sqlite] [--kills N] [--jobs JOBS] [--seed SEED]` kills a process that runs
// workflows N times, starts JOBS new executions in each of its lives, and prints a report. It fails if a
// business key did not move money exactly once, or if an execution did not end.
import { NodeRuntime } from "@effect/platform-node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import * as kills from "../packages/workflows/test/utils/kills.js"

const usage = "npm run soak -- [--engine sqlite] [--kills N] [--jobs JOBS] [--seed SEED]"

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
if (values.engine !== "sqlite") refuse(`--engine must be sqlite: ${values.engine}`)
const all = positive("kills", values.kills)

const percentile = (sorted: ReadonlyArray<number>, part: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN)

const program = Effect.gen(function* () {
  const report = yield* kills.run({
    kills: all,
    jobsPerLife: positive("jobs", values.jobs),
    seed: positive("seed", values.seed),
    onKill: (count) => (count % 10 === 0 ? Console.log(`${count} of ${all} kills`) : Effect.void)
  })
  const { recoveryMillis, violations } = report
  const times = [0.5, 0.9, 0.99, 1].map((part) => `${percentile(recoveryMillis, part)} ms`)
  yield* Console.log(`
kills                     ${report.kills}, of which ${report.earlyKills} before the engine ran
business keys             ${report.jobs}
creation requests         ${report.creations}
recovery, 50/90/99/100 %  ${times.join(", ")} (${recoveryMillis.length} measured)
database                  ${Math.round(report.databaseBytes / 1024)} KiB
violations                ${violations.length}`)
  yield* Effect.forEach(violations, (violation) => Console.error(`VIOLATION  ${violation}`))
  if (violations.length > 0) process.exitCode = 1
})

NodeRuntime.runMain(program)
