import * as Effect from "effect/Effect"

/** Logs a defect, and runs the effect again: a batch must not end because of it, and nobody would send the rest. */
export const afterDefects =
  (where: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllDefect(effect, (defect) =>
      Effect.zipRight(
        Effect.logError(`A defect in ${where}`, defect),
        Effect.delay(afterDefects(where)(effect), "1 second")
      )
    )
