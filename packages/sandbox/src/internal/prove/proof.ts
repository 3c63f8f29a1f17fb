/**
 * A proof: its runs, one after another.
 */
import * as Effect from "effect/Effect"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import { Problem } from "./problem.js"
import * as report from "./report.js"
import type { Trial } from "./trial.js"

export interface Options<E> {
  readonly pairs: number
  readonly seed: number
  readonly inProcess: boolean
  /** Only this run. */
  readonly run: number | undefined
  readonly trial: (run: plan.Run, known: judge.Calm | undefined) => Effect.Effect<Trial, E>
  /** The line that repeats a run. */
  readonly repeat: (run: number) => string
  /** Called before each run but the calm one, with the runs that are done, and the number of the others. */
  readonly onRun?: (run: plan.Run, done: ReadonlyArray<Trial>, all: number) => Effect.Effect<void>
}

export const prove = <E>(options: Options<E>): Effect.Effect<report.Report, E | Problem> =>
  Effect.gen(function* () {
    const { onRun = () => Effect.void, run, seed } = options
    // Virtual time may have replaced all other clocks.
    const startMillis = performance.now()
    const calm = yield* options.trial({ number: 0, troubles: [] }, undefined)
    const problem = report.problemOf(calm)
    if (problem !== undefined) return yield* new Problem({ message: problem })
    const runs = calm.violations.length > 0 ? [] : plan.runsOf(calm.places, options)
    const chosen = runs.filter(({ number }) => run === undefined || run === number)
    if (run !== undefined && run > runs.length) {
      const message = `There is no run ${run}: the last one is ${runs.length}. Choose another number.`
      return yield* new Problem({ message })
    }
    const trials = [calm]
    for (const one of chosen) {
      yield* onRun(one, trials, chosen.length)
      trials.push(yield* options.trial(one, judge.calmOf(calm.once)))
    }
    const tookMillis = performance.now() - startMillis
    return report.make(trials, { seed, tookMillis, repeat: options.repeat, run })
  })
