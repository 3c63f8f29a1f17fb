/**
 * Virtual time, which passes only when it is told to. All sleepers of a program wait in it, those of the client
 * and of the sandbox too.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Time {
  readonly clock: Clock.Clock
  readonly nowMillis: () => number
  /** Wakes the next sleeper, and returns `true`. If none is due until then, it is then, and `false` is returned. */
  readonly wakeNext: (untilMillis: number) => boolean
}

interface Sleeper {
  readonly atMillis: number
  readonly wake: () => void
}

export const make = (startMillis: number): Time => {
  let now = startMillis
  const sleepers = new Set<Sleeper>()
  const nanos = () => BigInt(Math.floor(now)) * 1_000_000n
  return {
    clock: {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => Math.floor(now),
      unsafeCurrentTimeNanos: nanos,
      currentTimeMillis: Effect.sync(() => Math.floor(now)),
      currentTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.async((resume) => {
          const sleeper = {
            atMillis: Math.ceil(now + Duration.toMillis(duration)),
            wake: () => resume(Effect.void)
          }
          sleepers.add(sleeper)
          return Effect.sync(() => sleepers.delete(sleeper))
        })
    },
    nowMillis: () => now,
    wakeNext: (untilMillis) => {
      const next = [...sleepers].reduce<Sleeper | undefined>(
        (first, one) => (first === undefined || one.atMillis < first.atMillis ? one : first),
        undefined
      )
      if (next === undefined || next.atMillis > untilMillis) {
        if (untilMillis < Infinity) now = Math.max(now, untilMillis)
        return false
      }
      now = Math.max(now, next.atMillis)
      sleepers.delete(next)
      next.wake()
      return true
    }
  }
}
