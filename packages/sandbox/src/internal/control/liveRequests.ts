/**
 * The live requests of a sandbox in another process, read from its server-sent events.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ControlApi from "../../ControlApi.js"

/** About 13 seconds of attempts in vain. The count starts again with each event. */
const attempts = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("2 seconds")),
  Schedule.intersect(Schedule.recurs(10)),
  Schedule.whileInput(HttpClientError.isHttpClientError)
)

type Live = Stream.Stream<
  ControlApi.LiveRequests,
  ControlApi.ControlError | HttpClientError.HttpClientError | ParseResult.ParseError
>

/**
 * After a lost connection it connects again and starts anew with `reset`. What happened in between is among the
 * latest 1,000 requests, and older ones are missing. It fails after about 13 seconds without the sandbox, and
 * at once if the control API refuses it. It does not notice a connection that is lost without being closed.
 */
export const follow = (client: HttpClient.HttpClient, url: string): Live => {
  const request = HttpClientRequest.get(new URL(ControlApi.requestStream, url))
  const ended = new HttpClientError.RequestError({
    request,
    reason: "Transport",
    description: "The sandbox has ended the stream"
  })
  return Stream.suspend(() => {
    let known = false
    return Stream.unwrap(Effect.map(client.execute(request), eventsOf)).pipe(
      Stream.map(({ requests, reset }) => {
        const event = { requests, reset: reset || known }
        known = false
        return event
      }),
      Stream.concat(Stream.fail(ended)),
      Stream.tapError(() =>
        Effect.sync(() => {
          known = true
        })
      ),
      Stream.retry(attempts)
    )
  })
}

const eventsOf = (response: HttpClientResponse.HttpClientResponse): Live =>
  response.status === 200
    ? response.stream.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.mapAccum(nothing, read),
        Stream.filterMap((event) => event),
        Stream.mapEffect(({ data, reset }) =>
          Effect.map(decode(data), (requests) => ({ reset, requests }))
        )
      )
    : Stream.fromEffect(Effect.flatMap(refusalIn(response), Effect.fail))

const decode = Schema.decodeUnknown(Schema.parseJson(Schema.Array(ControlApi.Request)))

const refusalIn = HttpClientResponse.schemaBodyJson(ControlApi.ControlError)

/** The lines of an event until its end, and whether a reset came before it. */
interface Reading {
  readonly event: string
  readonly data: string
  readonly reset: boolean
}

const nothing: Reading = { event: "", data: "", reset: false }

type Read = readonly [Reading, Option.Option<Pick<Reading, "data" | "reset">>]

const read = (reading: Reading, line: string): Read => {
  const [, name, value = ""] = /^(event|data): (.*)$/.exec(line) ?? []
  if (name === "event") return [{ ...reading, event: value }, Option.none()]
  if (name === "data") return [{ ...reading, data: value }, Option.none()]
  switch (reading.event) {
    case "reset":
      return [{ ...nothing, reset: true }, Option.none()]
    case "requests":
      return [nothing, Option.some(reading)]
    default:
      return [reading, Option.none()]
  }
}
