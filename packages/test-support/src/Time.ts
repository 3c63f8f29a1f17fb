/**
 * Virtual time, which passes only when it is told to. All fibers of a program sleep in it, those of the client and of the
 * sandbox too. The clock that they read can be set wrong.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Options {
  /** The time of the clock at the start; 0 by default. */
  readonly startMillis?: number
  /** Sleepers wake at multiples of this; 1 by default. */
  readonly tickMillis?: number
  /** Whether all sleepers that are due wake together, or each has its turn. */
  readonly wakes: "all" | "one"
}

export interface Time {
  readonly clock: Clock.Clock
  /** The time of the clock. */
  readonly nowMillis: () => number
  /** True time since the start, independent of the clock. */
  readonly elapsedMillis: () => number
  /** The number of sleeping fibers. */
  readonly sleepers: () => number
  /**
   * Advances to the next wake-up, and returns `true`. If none is due until this time since the start, it is then, and
   * `false` is returned.
   */
  readonly wakeNext: (untilMillis?: number) => boolean
  /** The machine was suspended: time passed, and no timer fired. */
  readonly jump: (millis: number) => void
  /** Sets the clock forward or back. Sleep durations do not change. */
  readonly setClock: (millis: number) => void
}

interface Sleeper {
  /** The order in which they went to sleep. */
  readonly index: number
  readonly wake: () => void
}

export const make = ({ startMillis = 0, tickMillis = 1, wakes }: Options): Time => {
  let elapsed = 0
  let zero = startMillis
  let slept = 0
  /** By the time when they are due: thousands may wait. */
  const sleepers = new Map<number, Set<Sleeper>>()
  const nowMillis = () => Math.floor(zero + elapsed)
  const nowNanos = () => BigInt(nowMillis()) * 1_000_000n

  const remove = (atMillis: number, sleeper: Sleeper): void => {
    const others = sleepers.get(atMillis)
    others?.delete(sleeper)
    if (others?.size === 0) sleepers.delete(atMillis)
  }

  /** The sleepers that wake when the first one is due, in the order in which they went to sleep. */
  const due = (atMillis: number): ReadonlyArray<readonly [number, Sleeper]> => {
    const [first] = sleepers.get(atMillis) ?? []
    if (wakes === "one") return first === undefined ? [] : [[atMillis, first]]
    return Array.from(sleepers)
      .filter(([at]) => at <= elapsed)
      .flatMap(([at, all]) => Array.from(all, (one) => [at, one] as const))
      .sort(([, one], [, other]) => one.index - other.index)
  }

  return {
    clock: {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: nowMillis,
      unsafeCurrentTimeNanos: nowNanos,
      currentTimeMillis: Effect.sync(nowMillis),
      currentTimeNanos: Effect.sync(nowNanos),
      sleep: (duration) =>
        Effect.async((resume) => {
          const wakeMillis = elapsed + Duration.toMillis(duration)
          const atMillis = Math.ceil(wakeMillis / tickMillis) * tickMillis
          const sleeper = { index: slept++, wake: () => resume(Effect.void) }
          const others = sleepers.get(atMillis)
          if (others === undefined) sleepers.set(atMillis, new Set([sleeper]))
          else others.add(sleeper)
          return Effect.sync(() => remove(atMillis, sleeper))
        })
    },
    nowMillis,
    elapsedMillis: () => elapsed,
    sleepers: () => Array.from(sleepers.values()).reduce((sum, { size }) => sum + size, 0),
    wakeNext: (untilMillis = Infinity) => {
      const next = Math.min(...sleepers.keys())
      if (sleepers.size === 0 || next > untilMillis) {
        if (untilMillis < Infinity) elapsed = Math.max(elapsed, untilMillis)
        return false
      }
      elapsed = Math.max(elapsed, next)
      for (const [atMillis, sleeper] of due(next)) {
        remove(atMillis, sleeper)
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
