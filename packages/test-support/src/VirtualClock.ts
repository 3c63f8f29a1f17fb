/**
 * A clock for tens of thousands of sleepers, which TestClock would wake one by one, in milliseconds
 * of real time each. This one ticks every 20 ms and wakes all that are due together.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as EventLoop from "./EventLoop.js"

const tick = 20

export const make = () => {
  let nowMillis = 0
  const sleepers = new Map<number, Set<() => void>>()

  const sleep = (duration: Duration.Duration): Effect.Effect<void> =>
    Effect.async((resume) => {
      const at = Math.ceil((nowMillis + Duration.toMillis(duration)) / tick) * tick
      const wake = () => resume(Effect.void)
      const others = sleepers.get(at)
      if (others === undefined) sleepers.set(at, new Set([wake]))
      else others.add(wake)
      return Effect.sync(() => {
        const left = sleepers.get(at)
        left?.delete(wake)
        if (left?.size === 0) sleepers.delete(at)
      })
    })

  /** Lets every fiber run until it sleeps. */
  const settle = EventLoop.turns(4)

  const runUntil = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (;;) {
        yield* settle
        if (Option.isSome(yield* Fiber.poll(fiber)) || sleepers.size === 0) return
        nowMillis = Math.min(...sleepers.keys())
        const due = sleepers.get(nowMillis)
        sleepers.delete(nowMillis)
        due?.forEach((wake) => wake())
      }
    })

  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => nowMillis,
    unsafeCurrentTimeNanos: () => BigInt(nowMillis) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => nowMillis),
    currentTimeNanos: Effect.sync(() => BigInt(nowMillis) * 1_000_000n),
    sleep
  }
  return Object.assign(clock, { settle, runUntil, isIdle: () => sleepers.size === 0 })
}
