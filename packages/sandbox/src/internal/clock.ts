/**
 * The time of a sandbox: the `Clock` of the program plus an offset, which the sandbox can advance
 * without waiting.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

export interface SandboxClock {
  readonly nowMillis: Effect.Effect<number>
  /** The sum of all advances. */
  readonly advancedMillis: () => number
  readonly advance: (millis: number) => void
}

export const make = (): SandboxClock => {
  let offsetMillis = 0
  return {
    nowMillis: Effect.map(Clock.currentTimeMillis, (millis) => millis + offsetMillis),
    advancedMillis: () => offsetMillis,
    advance: (millis) => {
      offsetMillis += millis
    }
  }
}
