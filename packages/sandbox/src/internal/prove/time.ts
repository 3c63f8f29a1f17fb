/**
 * Virtual time for programs that run in turns of the event loop. It jumps to the next wake-up when nothing runs.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scheduler from "effect/Scheduler"

interface Sleeper {
  readonly atMillis: number
  readonly wake: () => void
}

export interface Time extends ReturnType<typeof make> {}

/** A turn of the event loop. Programs in virtual time may have replaced the global timers. */
const { setTimeout: realTimeout } = globalThis
const turn: (next: () => void) => void =
  typeof setImmediate === "function" ? setImmediate : (next) => void realTimeout(next)

/** A pause in real time. */
export const realMillisecond = Effect.async<void>((resume) => {
  realTimeout(() => resume(Effect.void), 1)
})

const startMillis = Date.UTC(2026, 0, 5, 9)

export const make = () => {
  let now = startMillis
  const sleepers = new Set<Sleeper>()
  /** Tasks of fibers that have not run yet. */
  let waiting = 0
  let tasks = 0

  /** Calls a function at a time. Returns a function that cancels it. */
  const at = (delayMillis: number, wake: () => void) => {
    const sleeper = { atMillis: Math.ceil(now + delayMillis), wake }
    sleepers.add(sleeper)
    return () => sleepers.delete(sleeper)
  }
  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) =>
      Effect.async((resume) => {
        const cancel = at(Duration.toMillis(duration), () => resume(Effect.void))
        return Effect.sync(cancel)
      })
  }
  return {
    clock,
    at,
    nowMillis: () => now,
    sinceStart: () => now - startMillis,
    /** Runs the tasks of fibers until they are dead. */
    scheduler: (isAlive: () => boolean = () => true): Scheduler.Scheduler => ({
      shouldYield: (fiber) => (fiber.currentOpCount > 2048 ? 0 : false),
      scheduleTask: (task) => {
        waiting++
        const run = () => {
          waiting--
          if (isAlive()) task()
        }
        // A fiber that never waits must not stop the event loop.
        if (++tasks % 1000 === 0) turn(run)
        else queueMicrotask(run)
      }
    }),
    /** Ends when nothing runs that does not wait. */
    idle: Effect.async<void>((resume) => {
      let quiet = 0
      const look = () => {
        quiet = waiting === 0 ? quiet + 1 : 0
        if (quiet === 2) resume(Effect.void)
        else turn(look)
      }
      turn(look)
    }),
    /** Wakes the next sleeper. Returns `false` if none is due until then. */
    wakeNext: (untilMillis: number): boolean => {
      let next: Sleeper | undefined
      for (const one of sleepers) if (one.atMillis < (next?.atMillis ?? Infinity)) next = one
      if (next === undefined || next.atMillis > untilMillis) return false
      now = Math.max(now, next.atMillis)
      sleepers.delete(next)
      next.wake()
      return true
    },
    /** Ends a pause in which nobody is due. */
    skipTo: (millis: number) => {
      now = Math.max(now, millis)
    }
  }
}
