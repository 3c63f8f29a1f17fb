/**
 * The log of requests, as control calls show it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
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

const maxRequests = 1000

/** Reads the log and keeps no queue, so a slow reader gets fewer and larger elements. */
export const live = (current: () => exchangeLog.Log): Stream.Stream<ControlApi.LiveRequests> =>
  Stream.suspend(() => {
    let log: exchangeLog.Log | undefined
    let version = 0
    const read = Effect.sync((): Option.Option<ControlApi.LiveRequests> => {
      const reset = log !== current()
      log = current()
      const known = reset ? 0 : version
      version = log.version()
      const requests = log.changedAfter(known, maxRequests).map((one) => toRequest(one, false))
      return reset || requests.length > 0 ? Option.some({ reset, requests }) : Option.none()
    })
    return Stream.repeatEffectWithSchedule(read, Schedule.spaced("100 millis")).pipe(
      Stream.filterMap((read) => read)
    )
  })
