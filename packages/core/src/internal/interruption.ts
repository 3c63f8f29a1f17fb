/**
 * What an interruption must not pass over in silence.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * Warns when the effect ends interrupted: also when it had just failed, which `Effect.onInterrupt`
 * lets pass.
 */
export const warn =
  (message: () => string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onExit(effect, (exit) => {
      if (Exit.isSuccess(exit) || !Cause.isInterrupted(exit.cause)) return Effect.void
      const text = message()
      return text === undefined ? Effect.void : Effect.logWarning(text)
    })
