import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Effect from "effect/Effect"
import { jitter } from "../pauses.js"
import type { Owner } from "./owner.js"

/** The pauses after a refusal that passes, such as a rate limit. */
const shortestPauseMillis = 1_000
const longestPauseMillis = 60_000

/** How many requests may go on at once: after a refusal that passes, such as a rate limit, fewer, and later. */
export const make = ({ batchKey, concurrency }: Pick<Owner, "batchKey" | "concurrency">) => {
  let allowed = concurrency
  let pauseMillis = 0
  let notBeforeMillis = 0
  /** Learns from the ends of requests, and returns how many may go on: none during a pause. */
  return (ended: ReadonlyArray<Batches.Change>, nowMillis: number) =>
    Effect.gen(function* () {
      // If more than the longest pause is left, the clock was set back, and the pause is over.
      if (nowMillis < notBeforeMillis && notBeforeMillis <= nowMillis + longestPauseMillis) return 0
      if (ended.some(({ state }) => state === "waiting")) {
        if (pauseMillis === 0) {
          yield* Effect.logWarning(
            `The service refuses requests of the batch ${batchKey} for now. It goes on, more slowly.`
          )
        }
        allowed = 1
        pauseMillis = Math.min(Math.max(2 * pauseMillis, shortestPauseMillis), longestPauseMillis)
        notBeforeMillis = nowMillis + (yield* jitter(pauseMillis))
        return 0
      }
      if (ended.length > 0) {
        allowed = Math.min(concurrency, 2 * allowed)
        pauseMillis = 0
      }
      return allowed
    })
}
