/**
 * All runs of a proof, one after another.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as judge from "./judge.js"
import * as plan from "./plan.js"
import type { Trial } from "./record.js"
import * as report from "./report.js"

/** The proof cannot go on. The message has the remedy. */
export class Problem extends Data.TaggedError("Problem")<{ readonly message: string }> {}

export interface Options<E> {
  readonly pairs: number
  readonly seed: number
  readonly inProcess: boolean
  /** Only this run. */
  readonly run: number | undefined
  readonly trial: (run: plan.Run, known: judge.Calm | undefined) => Effect.Effect<Trial, E>
  /** The line that repeats a run. */
  readonly repeat: (run: number) => string
  /** Called before each run but the calm one, with the runs that are done and all runs. */
  readonly onRun: (
    run: plan.Run,
    done: ReadonlyArray<report.Trial>,
    all: number
  ) => Effect.Effect<void>
}

export const prove = <E>(options: Options<E>): Effect.Effect<report.Report, E | Problem> =>
  Effect.gen(function* () {
    const { onRun, repeat, run, seed, trial } = options
    // Virtual time may have replaced all other clocks.
    const startMillis = performance.now()
    const calm = yield* trial(plan.calm, undefined)
    const problem = report.problemOf(calm)
    if (problem !== undefined) {
      return yield* new Problem({ message: [problem, "", ...report.drawing(calm)].join("\n") })
    }
    const runs = calm.violations.length > 0 ? [] : plan.runsOf(calm.places, options)
    const chosen = runs.filter(({ number }) => run === undefined || run === number)
    if (run !== undefined && run > 0 && chosen.length === 0) {
      return yield* new Problem({
        message: `There is no run ${run}: the last one is ${runs.length}. Choose another number.`
      })
    }
    const trials: Array<report.Trial> = []
    const known = judge.calmOf(calm.once)
    for (const one of chosen) {
      yield* onRun(one, trials, chosen.length)
      const done = yield* trial(one, known)
      // Hundreds of passed runs would fill the memory.
      const isKept = done.violations.length > 0 || run !== undefined
      trials.push(isKept ? done : { ...done, events: [], exchanges: [] })
    }
    return { calm, trials, seed, repeat, tookMillis: performance.now() - startMillis }
  })
