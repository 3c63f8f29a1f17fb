/**
 * Virtual time: it stands still while any task can run, then advances to the next wake-up. The clock
 * that the client sees can be set wrong.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Time {
  readonly clock: Clock.Clock
  /** True time since the start of the run, independent of the clock. */
  readonly elapsedMillis: () => number
  /** The number of sleeping fibers. */
  readonly sleepers: () => number
  /** Advances to the next wake-up; `false` when nothing sleeps. */
  readonly advance: () => boolean
  /** The machine was suspended: time passed, and no timer fired. */
  readonly jump: (millis: number) => void
  /** Sets the clock forward or back. Sleep durations do not change. */
  readonly setClock: (millis: number) => void
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
    setClock: (millis) => {
      zero += millis
    }
  }
}
