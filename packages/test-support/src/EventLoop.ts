/**
 * Waits for turns of Node's event loop, without a clock. In each turn Node reads the data that has
 * arrived and runs the callbacks that are due.
 */
import * as Effect from "effect/Effect"

const turn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

export const turns = (count: number): Effect.Effect<void> => Effect.repeatN(turn, count - 1)

/** Repeats an effect once per turn until its value fits, for state that changes without an event. */
export const until = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (value: A) => boolean
): Effect.Effect<void, E, R> =>
  turn.pipe(
    Effect.zipRight(look),
    Effect.flatMap((value) => (holds(value) ? Effect.void : until(look, holds)))
  )
