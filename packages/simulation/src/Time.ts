/**
 * The time of a run: it stands still while anything can go on, and then goes to the next moment
 * that someone waits for.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Time {
  readonly clock: Clock.Clock
  readonly nowMillis: () => number
  /** How many wait for a moment to come. */
  readonly sleepers: () => number
  /** Goes to the next moment that someone waits for; `false` when nobody does. */
  readonly advance: () => boolean
  /** The clock goes forward by itself, as when a machine wakes up or its time is corrected. */
  readonly jump: (millis: number) => void
}

interface Sleeper {
  readonly atMillis: number
  readonly wake: () => void
}

export const make = (startMillis: number): Time => {
  let now = startMillis
  const sleepers = new Set<Sleeper>()

  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: () => now,
    unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleeper = {
          atMillis: now + Math.ceil(Duration.toMillis(duration)),
          wake: () => resume(Effect.void)
        }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  }

  return {
    clock,
    nowMillis: () => now,
    sleepers: () => sleepers.size,
    advance: () => {
      let next = Infinity
      for (const { atMillis } of sleepers) next = Math.min(next, atMillis)
      if (next === Infinity) return false
      now = Math.max(now, next)
      for (const sleeper of sleepers) {
        if (sleeper.atMillis > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      return true
    },
    jump: (millis) => {
      now += millis
    }
  }
}
