/**
 * The log of the latest exchanges, in order of arrival.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Exchange } from "../Exchange.js"
import type { SandboxClock } from "./clock.js"

type Arrived = Pick<Exchange, "operation" | "method" | "path" | "key" | "body">
type Ended = Pick<Exchange, "outcome" | "replay" | "fault">

export interface Log {
  /** Logs the arrival of an exchange. The returned function logs its end. */
  readonly open: (arrived: Arrived) => Effect.Effect<(ended: Ended) => Effect.Effect<void>>
  readonly latest: Effect.Effect<ReadonlyArray<Exchange>>
}

export interface Options {
  readonly clock: SandboxClock
  readonly capacity: number
  readonly onEnd: (exchange: Exchange) => Effect.Effect<void>
}

export const make = ({ capacity, clock, onEnd }: Options): Log => {
  const entries: Array<{ current: Exchange }> = []
  let count = 0
  return {
    open: (arrived) =>
      Effect.gen(function* () {
        const atMillis = yield* clock.nowMillis
        // The duration excludes advances of the sandbox's clock.
        const startMillis = yield* Clock.currentTimeMillis
        const opened: Exchange = {
          ...arrived,
          index: count++,
          outcome: "open",
          replay: false,
          fault: undefined,
          atMillis,
          tookMillis: undefined
        }
        const entry = { current: opened }
        entries.push(entry)
        // Trimming only at twice the capacity keeps the amortised cost constant.
        if (entries.length >= 2 * capacity) entries.splice(0, entries.length - capacity)
        return (ended) =>
          Effect.flatMap(Clock.currentTimeMillis, (endMillis) => {
            entry.current = { ...opened, ...ended, tookMillis: endMillis - startMillis }
            return onEnd(entry.current)
          })
      }),
    latest: Effect.sync(() =>
      entries.slice(Math.max(0, entries.length - capacity)).map(({ current }) => current)
    )
  }
}
