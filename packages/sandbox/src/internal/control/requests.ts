/**
 * The journal of requests.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as ControlApi from "../../ControlApi.js"
import type { Exchange } from "../../Exchange.js"
import * as moment from "../time/moment.js"
import * as use from "./use.js"

const defaultLimit = 100

export const requests = HttpApiBuilder.group(ControlApi.api, "Requests", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { bodies = false, limit = defaultLimit } }) =>
      use.sandbox(({ exchanges }) =>
        Effect.map(exchanges, (all) =>
          all
            .slice(-limit)
            .reverse()
            .map((exchange) => toRequest(exchange, bodies))
        )
      )
    )
    .handle("get", ({ path }) =>
      use.sandbox(({ exchanges }) =>
        Effect.flatMap(exchanges, (all) => {
          const found = all.find(({ index }) => index === path.index)
          return found === undefined
            ? use.notFound("path.index", "must be the index of a request that the sandbox keeps")
            : Effect.succeed(toRequest(found, true))
        })
      )
    )
)

/** The live requests as server-sent events, until the caller leaves or the sandbox stops. */
export const stream = use.sandbox(({ exchangeChanges }) =>
  Effect.succeed(
    HttpServerResponse.stream(
      exchangeChanges.pipe(
        Stream.map(({ exchanges, reset }) => {
          const data = JSON.stringify(exchanges.map((exchange) => toRequest(exchange, false)))
          return `${reset ? "event: reset\ndata: {}\n\n" : ""}event: requests\ndata: ${data}\n\n`
        }),
        Stream.encodeText
      ),
      { contentType: "text/event-stream" }
    )
  )
)

const toRequest = (exchange: Exchange, withBody: boolean): typeof ControlApi.Request.Type => {
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
