/**
 * The log of the latest exchanges, in order of arrival.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Exchange, Outcome } from "../Exchange.js"

export interface Log {
  /** Logs the arrival of an exchange. The returned function logs its outcome. */
  readonly open: (
    arrived: Pick<Exchange, "operation" | "method" | "key" | "body">
  ) => Effect.Effect<(outcome: Outcome) => Effect.Effect<void>>
  readonly latest: Effect.Effect<ReadonlyArray<Exchange>>
}

interface Entry extends Exchange {
  outcome: Outcome
  tookMillis: number | undefined
}

export const make = (capacity: number): Log => {
  const entries: Array<Entry> = []
  let count = 0
  return {
    open: (arrived) =>
      Effect.map(Clock.currentTimeMillis, (atMillis) => {
        const entry: Entry = {
          ...arrived,
          index: count++,
          outcome: "open",
          atMillis,
          tookMillis: undefined
        }
        entries.push(entry)
        // Trimming only at twice the capacity keeps the amortised cost constant.
        if (entries.length >= 2 * capacity) entries.splice(0, entries.length - capacity)
        return (outcome) =>
          Effect.map(Clock.currentTimeMillis, (nowMillis) => {
            entry.outcome = outcome
            entry.tookMillis = nowMillis - atMillis
          })
      }),
    latest: Effect.sync(() =>
      entries.slice(Math.max(0, entries.length - capacity)).map((entry) => ({ ...entry }))
    )
  }
}
