import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Execution from "../../Execution.js"
import { rootMessage } from "../rootMessage.js"

const firstPauseMillis = 100
const longestPauseMillis = 5_000

/** The operations of this process that wait for a database, and since when: thousands wait in an outage. */
const outage = { waiting: 0, sinceMillis: 0 }

const begin = (error: unknown) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    if (outage.waiting++ > 0) return Effect.void
    outage.sinceMillis = nowMillis
    return Effect.logWarning(
      `The database of the workflows failed (${rootMessage(error)}). Executions wait until it answers.`
    )
  })

const leave = Effect.sync(() => void outage.waiting--)

const end = Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
  const seconds = Math.round((nowMillis - outage.sinceMillis) / 1_000)
  return outage.waiting === 1
    ? Effect.logInfo(`The database of the workflows answers again, after ${seconds} s.`)
    : Effect.void
})

const isStorageError = (error: { readonly _tag: string }): error is Execution.StorageError =>
  error._tag === "StorageError"

/**
 * Repeats a storage operation until the database answers: an execution must not fail because its database is away.
 * An operation that failed may have been applied all the same.
 */
export const persistently = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E | Execution.StorageError, R>
): Effect.Effect<A, Exclude<E, Execution.StorageError>, R> => {
  const again = (pauseMillis: number): Effect.Effect<A, Exclude<E, Execution.StorageError>, R> =>
    Effect.catchIf(Effect.delay(effect, pauseMillis), isStorageError, () =>
      again(Math.min(2 * pauseMillis, longestPauseMillis))
    )
  return Effect.catchIf(effect, isStorageError, (error) =>
    Effect.acquireUseRelease(
      begin(error),
      () => Effect.zipLeft(again(firstPauseMillis), end),
      () => leave
    )
  )
}
