/**
 * The turns of Node's event loop. They pass without a clock: whatever has arrived is read, and whatever
 * is due is done.
 */
import * as Effect from "effect/Effect"

const turn = Effect.async<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

export const turns = (count: number): Effect.Effect<void> => Effect.repeatN(turn, count - 1)

/** Looks after each turn, for what changes without an event that a test could wait for. */
export const until = <A, E, R>(
  look: Effect.Effect<A, E, R>,
  holds: (value: A) => boolean
): Effect.Effect<void, E, R> =>
  turn.pipe(
    Effect.zipRight(look),
    Effect.flatMap((value) => (holds(value) ? Effect.void : until(look, holds)))
  )
