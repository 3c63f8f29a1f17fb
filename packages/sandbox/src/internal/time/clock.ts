/**
 * The time of a sandbox: the `Clock` of the program plus an offset, which the sandbox can advance
 * without waiting.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as table from "../store/table.js"

/** The offset in milliseconds. */
export const declared = table.value(Schema.Number.pipe(Schema.finite()), 0)

export interface SandboxClock extends ReturnType<typeof make> {}

export const make = (offsetMillis: table.Value<number>) => ({
  nowMillis: Effect.map(Clock.currentTimeMillis, (millis) => millis + offsetMillis.get()),
  /** The sum of all advances. */
  advancedMillis: offsetMillis.get,
  advance: (millis: number) => offsetMillis.set(offsetMillis.get() + millis)
})
