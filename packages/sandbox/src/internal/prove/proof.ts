/**
 * A proof: its runs, one after another.
 */
import type { NonEmptyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import * as report from "./report.js"
import { Problem, trial } from "./trial.js"
import type { Trial, World } from "./trial.js"

export interface Options<R> extends plan.Options, Omit<report.Options, "planned" | "tookMillis"> {
  /** A new world for each run. */
  readonly world: () => World<R>
  /** Called before each run but the calm one, with the runs that are done, and the number of the others. */
  readonly onRun?: (run: plan.Run, done: ReadonlyArray<Trial>, all: number) => Effect.Effect<void>
  /** Called with the runs that are done if the proof is interrupted. */
  readonly onStop?: (done: report.Report) => Effect.Effect<void>
}

export const prove = <R>(options: Options<R>): Effect.Effect<report.Report, Problem> =>
  Effect.gen(function* () {
    const { onRun = () => Effect.void, onStop = () => Effect.void, run: only, world } = options
    // Virtual time may have replaced all other clocks.
    const startMillis = performance.now()
    const withoutFault: plan.Run = { number: 0, troubles: [] }
    const calm = yield* trial(withoutFault, undefined, world())
    const problem = report.problemOf(calm)
    if (problem !== undefined) return yield* new Problem({ message: problem })
    const isBroken = calm.violations.length > 0
    const runs = isBroken ? [] : plan.runsOf(calm.places, options)
    const isChosen = (run: plan.Run) => only === undefined || plan.isNamed(run, only)
    if (!isBroken && ![withoutFault, ...runs].some(isChosen)) {
      const message = `There is no run “${only}”: the last one is ${runs.length}. Choose another one.`
      return yield* new Problem({ message })
    }
    const chosen = runs.filter(isChosen)
    const known = judge.calmOf(calm.once)
    const trials: NonEmptyArray<Trial> = [calm]
    const done = Effect.sync(() => {
      const tookMillis = performance.now() - startMillis
      return report.make(trials, { ...options, planned: chosen.length, tookMillis })
    })
    const tryAll = Effect.gen(function* () {
      for (const run of chosen) {
        yield* onRun(run, trials, chosen.length)
        trials.push(yield* trial(run, known, world()))
      }
    })
    yield* Effect.onInterrupt(tryAll, () => Effect.flatMap(done, onStop))
    return yield* done
  })
