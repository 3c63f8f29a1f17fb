/**
 * What an interruption must not pass over in silence.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as unforeseen from "./unforeseen.js"

/** Where the warning of a write that ended uninterrupted is left for who goes on from it. */
const ended = FiberRef.unsafeMake((_warning: string): void => {})

/**
 * Warns when the effect ends interrupted: also when it had just failed, which `Effect.onInterrupt`
 * lets pass, and when it ended otherwise where nothing may interrupt, while an interruption waited.
 * Where that ends, its value or its error is dropped.
 */
export const warn =
  (message: () => string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onExit(effect, (exit) => {
      const text = message()
      if (text === undefined) return Effect.void
      return Effect.withFiberRuntime((fiber) => {
        if (isInterrupted(fiber) || Exit.isInterrupted(exit)) return say(text)
        fiber.getFiberRef(ended)(text)
        return Effect.void
      })
    })

/**
 * Runs a write from an uninterruptible region that goes on from it. An interruption that comes when
 * the write has ended, and the region does not have its value or its error yet, brings the warning of
 * the write.
 */
export const handOver = <A, E, R>(
  restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  write: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let left: string | undefined
    return restore(write).pipe(
      Effect.locally(ended, (warning) => {
        left = warning
      }),
      Effect.catchAllCause((cause) =>
        Effect.withFiberRuntime<never, E>((fiber) =>
          left !== undefined && isInterrupted(fiber)
            ? Effect.zipRight(say(left), Effect.failCause(cause))
            : Effect.failCause(cause)
        )
      )
    )
  })

/**
 * Begins what was forked, unless the one who forked it was interrupted before: an interruption is
 * passed on to the children that there are.
 */
export const beginFor =
  (parent: Fiber.RuntimeFiber<unknown, unknown>) =>
  <A, E, R>(child: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.checkInterruptible((mayBe) =>
      mayBe && isInterrupted(parent) ? Effect.interrupt : child
    )

const say = (warning: string) => unforeseen.ignore(Effect.logWarning(warning))

/** Whether an interruption has come, even if nothing may be interrupted just now. */
const isInterrupted = (fiber: Fiber.RuntimeFiber<unknown, unknown>): boolean =>
  !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))
