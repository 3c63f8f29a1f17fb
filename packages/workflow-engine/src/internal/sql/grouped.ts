import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Runtime from "effect/Runtime"
import { setImmediate } from "node:timers/promises"

/** Yields to other work of this process. SQLite answers in the same turn of the event loop, and would let nothing else run. */
export const nextTurn = Effect.promise(() => setImmediate())

/** The most inputs of one statement. */
const most = 100
/** One statement is prepared while another one waits for the disk. */
const atOnce = 2

/**
 * A statement for many inputs in place of one for each, as in a group commit: those that come while earlier ones are
 * under way share the next one. A row is in a group once, and its key finds the response: `first`, for the first input, and
 * `shared`, for all, which must be equal. If a group fails, each of its rows is tried alone, so that no other one suffers
 * from it. The runtime has the logger and the tracer of the store.
 */
export const grouped =
  (runtime: Runtime.Runtime<never>, how: "first" | "shared") =>
  <Keyed, A extends Keyed, B extends Keyed, E>(
    rowOf: (keyed: Keyed) => string,
    run: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
  ): ((input: A) => Effect.Effect<B | undefined, E>) => {
    interface Waiting {
      readonly input: A
      readonly resume: (result: Effect.Effect<B | undefined, E>) => void
    }
    interface Row {
      readonly row: string
      readonly input: A
      readonly callers: Array<Waiting>
    }
    const waiting = new Set<Waiting>()
    let running = 0

    /** In the order of the rows, so that no two statements wait for each other's locks. */
    const nextGroup = (): ReadonlyArray<Row> => {
      const group = new Map<string, Row>()
      for (const one of waiting) {
        const { input } = one
        const row = rowOf(input)
        const same = group.get(row)
        if (same !== undefined && how === "first") continue
        if (same === undefined) group.set(row, { row, input, callers: [one] })
        else same.callers.push(one)
        waiting.delete(one)
        if (group.size === most) break
      }
      return [...group.values()].sort((a, b) => (a.row < b.row ? -1 : 1))
    }

    const runGroup = (group: ReadonlyArray<Row>): Effect.Effect<void> =>
      Effect.suspend(() => run(group.map(({ input }) => input))).pipe(
        Effect.map((answers) => new Map(answers.map((answer) => [rowOf(answer), answer]))),
        Effect.exit,
        Effect.flatMap((exit) => {
          if (Exit.isFailure(exit) && group.length > 1) {
            return Effect.forEach(group, (one) => runGroup([one]), {
              concurrency: "unbounded",
              discard: true
            })
          }
          for (const { callers, row } of group) {
            for (const { resume } of callers) resume(Exit.map(exit, (answers) => answers.get(row)))
          }
          return Effect.void
        })
      )

    const work: Effect.Effect<void> = Effect.gen(function* () {
      while (waiting.size > 0) {
        // Without this, the first of those that a response of the service has woken would be alone.
        yield* nextTurn
        const group = nextGroup()
        if (group.length > 0) yield* runGroup(group)
      }
      running--
    })

    return (input) =>
      Effect.async((resume) => {
        const one = { input, resume }
        waiting.add(one)
        if (running < atOnce) {
          running++
          Runtime.runFork(runtime)(work)
        }
        // A statement that is under way goes on, and its effect is found later.
        return Effect.sync(() => void waiting.delete(one))
      })
  }
