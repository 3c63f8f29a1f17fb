/**
 * The time of a sandbox: the `Clock` of the program plus an offset, which the sandbox can advance
 * without waiting.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as table from "../store/table.js"

export interface SandboxClock {
  readonly nowMillis: Effect.Effect<number>
  /** The sum of all advances. */
  readonly advancedMillis: () => number
  readonly advance: (millis: number) => void
}

/** The offset in milliseconds. */
export const declared = table.value(Schema.Number.pipe(Schema.finite()), 0)

export const make = (offsetMillis: table.Value<number>): SandboxClock => ({
  nowMillis: Effect.map(Clock.currentTimeMillis, (millis) => millis + offsetMillis.get()),
  advancedMillis: offsetMillis.get,
  advance: (millis) => offsetMillis.set(offsetMillis.get() + millis)
})
