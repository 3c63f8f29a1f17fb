/**
 * The live requests of a sandbox in another process, read from its server-sent events.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
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
 * After a lost connection it connects again, and the stream starts anew. What happened in between is among the
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
  return Stream.unwrap(Effect.map(client.execute(request), eventsOf)).pipe(
    Stream.concat(Stream.fail(ended)),
    Stream.retry(attempts)
  )
}

const eventsOf = (response: HttpClientResponse.HttpClientResponse): Live =>
  response.status === 200
    ? response.stream.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.filter((line) => line.startsWith("data: ")),
        Stream.mapEffect((line) => decode(line.slice("data: ".length)))
      )
    : Stream.fromEffect(Effect.flatMap(refusalIn(response), Effect.fail))

const decode = Schema.decodeUnknown(Schema.parseJson(ControlApi.LiveRequests))

const refusalIn = HttpClientResponse.schemaBodyJson(ControlApi.ControlError)
