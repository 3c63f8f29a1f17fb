/**
 * The time of a run: it stands still while anything can go on, and then goes to the next moment
 * that someone waits for. What the clock shows can be wrong.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Time {
  readonly clock: Clock.Clock
  /** What has gone by since the run began, whatever the clock shows. */
  readonly elapsedMillis: () => number
  /** How many wait for a moment to come. */
  readonly sleepers: () => number
  /** Goes to the next moment that someone waits for; `false` when nobody does. */
  readonly advance: () => boolean
  /** The machine was asleep: time went by and nobody noticed. */
  readonly jump: (millis: number) => void
  /** The clock is set, forward or back; what sleeps sleeps on as long as before. */
  readonly correct: (millis: number) => void
}

interface Sleeper {
  readonly atMillis: number
  readonly wake: () => void
}

export const make = (startMillis: number): Time => {
  let elapsed = 0
  let zero = startMillis
  const sleepers = new Set<Sleeper>()
  const shown = () => zero + elapsed

  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: shown,
    unsafeCurrentTimeNanos: () => BigInt(shown()) * 1_000_000n,
    currentTimeMillis: Effect.sync(shown),
    currentTimeNanos: Effect.sync(() => BigInt(shown()) * 1_000_000n),
    sleep: (duration) =>
      Effect.async((resume) => {
        const sleeper = {
          atMillis: elapsed + Math.ceil(Duration.toMillis(duration)),
          wake: () => resume(Effect.void)
        }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
  }

  return {
    clock,
    elapsedMillis: () => elapsed,
    sleepers: () => sleepers.size,
    advance: () => {
      let next = Infinity
      for (const { atMillis } of sleepers) next = Math.min(next, atMillis)
      if (next === Infinity) return false
      elapsed = Math.max(elapsed, next)
      for (const sleeper of sleepers) {
        if (sleeper.atMillis > elapsed) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      return true
    },
    jump: (millis) => {
      elapsed += millis
    },
    correct: (millis) => {
      zero += millis
    }
  }
}
