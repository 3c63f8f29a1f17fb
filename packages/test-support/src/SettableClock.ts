/**
 * A clock that a test sets forward or back, as somebody sets the clock of a machine. Sleeps take as long as without it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface Ahead {
  millis: number
}

/** A clock over the one of the fiber, and how far it is ahead. */
export const make = Effect.map(Effect.clock, (clock) => {
  const ahead: Ahead = { millis: 0 }
  const nanos = () => BigInt(ahead.millis) * 1_000_000n
  const set: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + ahead.millis),
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (time) => time + nanos()),
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + ahead.millis,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + nanos()
  }
  return { ahead, clock: set }
})
