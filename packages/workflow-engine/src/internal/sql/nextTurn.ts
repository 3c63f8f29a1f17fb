import * as Effect from "effect/Effect"
import { setImmediate } from "node:timers/promises"

/** Lets whatever else is ready in this process run before. SQLite answers at once, and would leave it no turn. */
export const nextTurn = Effect.promise(() => setImmediate())
