/**
 * What no type tells: that code which is not Manilla's dies, or waits for a fiber that another caller
 * interrupts, as a cache does for its first caller's lookup.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/**
 * Goes on with this after a defect, or after an interruption that was not the fiber's own: one that
 * is interrupted itself runs no handler, unless it is in an uninterruptible region.
 */
export const orElse =
  <A2, E2, R2>(instead: (cause: Cause.Cause<unknown>) => Effect.Effect<A2, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | A2, E | E2, R | R2> =>
    Effect.catchAllCause(effect, (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: (): Effect.Effect<A2, E | E2, R2> => instead(cause),
        onSome: Effect.fail
      })
    )

/** What is told beside, such as to a logger or a tracer, which may die of it: the work goes on. */
export const ignore = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.catchAllDefect(Effect.asVoid(effect), () => Effect.void)

/** Puts around an effect what may die, as a span does with its tracer, and keeps how the effect ended. */
export const around = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  put: (inner: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let ended: Exit.Exit<A, E> | undefined
    const inner = Effect.onExit(effect, (exit) => {
      ended = exit
      return Effect.void
    })
    // What did not end was not begun.
    return Effect.catchAllCause(put(inner), () => ended ?? effect)
  })
