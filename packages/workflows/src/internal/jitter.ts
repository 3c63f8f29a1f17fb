import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Between half and the whole of a time, so that executions that started together do not wake together. */
export const jitter = (millis: number): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => Math.max(1, Math.round(millis * (0.5 + random / 2))))
