/**
 * The log of the latest exchanges, in order of arrival. It is limited in exchanges and in bytes of bodies.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Exchange } from "../../Exchange.js"

type Arrived = Pick<Exchange, "operation" | "method" | "path" | "key" | "correlationId" | "body">
type Ended = Pick<Exchange, "ending" | "response" | "replay" | "fault" | "warnings">

interface Entry {
  current: Exchange
  /** The version of the log when `current` was set. */
  version: number
  /** The bytes of both bodies. */
  size: number
}

export interface Options {
  /** The sandbox's time. */
  readonly nowMillis: Effect.Effect<number>
  readonly capacity: number
  readonly onEnd: (exchange: Exchange) => Effect.Effect<void>
}

const maxBytes = 64 * 1024 * 1024

/** The number of newest requests that keep their responses and are streamed. Responses would soon fill the log. */
const newest = 1000

export interface Log extends ReturnType<typeof make> {}

export const make = ({ capacity, nowMillis, onEnd }: Options) => {
  const entries: Array<Entry> = []
  let bytes = 0
  let count = 0
  let version = 0

  const grow = (entry: Entry, size: number) => {
    entry.size += size
    bytes += size
    while (entries.length > capacity || bytes > maxBytes) bytes -= entries.shift()?.size ?? 0
  }

  const forgetAnswer = (entry: Entry) => {
    const { response } = entry.current
    if (response === undefined) return
    entry.current = { ...entry.current, response: undefined }
    grow(entry, -Redacted.value(response).length)
  }

  return {
    /** Logs the arrival of an exchange. The returned function logs its end. */
    open: (arrived: Arrived) =>
      Effect.gen(function* () {
        const atMillis = yield* nowMillis
        // The duration excludes advances of the sandbox's clock.
        const startMillis = yield* Clock.currentTimeMillis
        const opened: Exchange = {
          ...arrived,
          index: count++,
          ending: "open",
          response: undefined,
          replay: false,
          fault: undefined,
          warnings: [],
          atMillis,
          tookMillis: undefined
        }
        const entry: Entry = { current: opened, version: ++version, size: 0 }
        entries.push(entry)
        grow(entry, Redacted.value(arrived.body).length)
        entries.slice(-newest - 1, -newest).forEach(forgetAnswer)
        return (ended: Ended) =>
          Effect.flatMap(Clock.currentTimeMillis, (endMillis) => {
            const isKept = opened.index >= count - Math.min(entries.length, newest)
            const response = isKept ? ended.response : undefined
            entry.current = { ...opened, ...ended, response, tookMillis: endMillis - startMillis }
            entry.version = ++version
            if (response !== undefined) grow(entry, Redacted.value(response).length)
            return onEnd(entry.current)
          })
      }),
    latest: Effect.sync(() => entries.map(({ current }) => current)),
    /** How often an exchange arrived or ended. */
    version: () => version,
    /** The exchanges that arrived or ended after a version: at most the newest 1,000, oldest first. */
    changedAfter: (seen: number): ReadonlyArray<Exchange> =>
      entries
        .filter((entry) => entry.version > seen)
        .slice(-newest)
        .map(({ current }) => current)
  }
}
