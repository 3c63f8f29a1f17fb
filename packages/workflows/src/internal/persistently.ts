import * as Effect from "effect/Effect"

const firstPauseMillis = 100
const longestPauseMillis = 5_000

/**
 * Repeats a storage operation until the database answers. An execution must not fail because its database
 * is away: it cannot go on without it, and its outcome must not be lost.
 */
export const persistently = <A, E, R, F extends E>(
  effect: Effect.Effect<A, E, R>,
  isStorageError: (error: E) => error is F,
  pauseMillis = firstPauseMillis
): Effect.Effect<A, Exclude<E, F>, R> =>
  Effect.catchIf(effect, isStorageError, (error) =>
    Effect.logWarning("The database of the workflows failed. Trying again.", error).pipe(
      Effect.zipRight(Effect.sleep(pauseMillis)),
      Effect.zipRight(
        persistently(effect, isStorageError, Math.min(2 * pauseMillis, longestPauseMillis))
      )
    )
  )
