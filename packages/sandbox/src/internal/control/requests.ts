/**
 * The log of requests, as control calls show it.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as ControlApi from "../../ControlApi.js"
import type { Exchange } from "../../Exchange.js"
import type * as exchangeLog from "../http/exchangeLog.js"
import * as moment from "../time/moment.js"

export const toRequest = (exchange: Exchange, withBody: boolean): ControlApi.Request => {
  const { atMillis, fault, index, key, method, operation, outcome, path, replay, tookMillis } =
    exchange
  const bytes = Redacted.value(exchange.body)
  return {
    index,
    at: moment.fromMillis(atMillis),
    method,
    path,
    operation: operation ?? null,
    key: key ?? null,
    outcome: typeof outcome === "number" ? "answered" : outcome,
    status: typeof outcome === "number" ? outcome : null,
    took_ms: tookMillis ?? null,
    replay,
    fault: fault?.name ?? null,
    reached_service: fault?.answersInstead !== true,
    body_bytes: bytes.length,
    body: withBody ? textOf(bytes) : null
  }
}

/** A character has at most 4 bytes, so the rest need not be decoded. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, 4 * ControlApi.maxBodyLength))
    .slice(0, ControlApi.maxBodyLength)

/** The part of a log that a reader has seen. */
interface Seen {
  readonly log: exchangeLog.Log
  readonly version: number
}

const maxRequests = 1000

/** Reads the log and keeps no queue, so a slow reader gets fewer and larger elements. */
export const live = (current: () => exchangeLog.Log): Stream.Stream<ControlApi.LiveRequests> => {
  const read = (seen: Seen | undefined): Effect.Effect<readonly [ControlApi.LiveRequests, Seen]> =>
    Effect.suspend(() => {
      const log = current()
      const version = log.version()
      const reset = seen !== undefined && seen.log !== log
      const known = seen === undefined || reset ? 0 : seen.version
      if (seen !== undefined && !reset && known === version) return readLater(seen)
      const changed = log.changedAfter(known, maxRequests)
      return Effect.succeed([
        { reset, requests: changed.map((exchange) => toRequest(exchange, false)) },
        { log, version }
      ])
    })
  const readLater = (seen: Seen) => Effect.delay(read(seen), "100 millis")
  return Stream.unfoldEffect<Seen | undefined, ControlApi.LiveRequests, never, never>(
    undefined,
    (seen) => Effect.asSome(seen === undefined ? read(seen) : readLater(seen))
  )
}
