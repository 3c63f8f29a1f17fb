/**
 * A typed client of the control API, for a sandbox in another process.
 *
 * @since 0.1.0
 */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as ParseResult from "effect/ParseResult"
import type * as Stream from "effect/Stream"
import * as ControlApi from "./ControlApi.js"
import * as liveRequests from "./internal/control/liveRequests.js"

/**
 * Options of a client of the control API.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** The address of the sandbox without a path, such as `http://127.0.0.1:4010`. */
  readonly url: string
}

/**
 * Requests that arrived or ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface LiveRequests {
  /** Whether they replace all earlier ones: after a reset, and after a lost connection. */
  readonly reset: boolean
  /** At most 1,000, oldest first and without bodies. A request comes again when it ends. */
  readonly requests: ReadonlyArray<typeof ControlApi.Request.Type>
}

/**
 * The latest requests, then those that arrive and end, without an end.
 *
 * After a lost connection it connects again and starts anew with `reset`. What happened in between is among
 * the latest 1,000 requests, and older ones are missing. It fails after about 13 seconds without the sandbox,
 * and at once if the control API refuses it. It does not notice a connection that is lost without being
 * closed.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestStream = Stream.Stream<
  LiveRequests,
  ControlApi.ControlError | HttpClientError.HttpClientError | ParseResult.ParseError
>

/**
 * Makes a client that sends its requests with the `HttpClient` in context. It has a method for each call, and
 * `Requests.stream`, a {@link RequestStream}.
 *
 * @example
 * import * as ControlClient from "@manilla/sandbox/ControlClient"
 * import * as Effect from "effect/Effect"
 *
 * const nextDay = Effect.gen(function* () {
 *   const control = yield* ControlClient.make({ url: "http://127.0.0.1:4010" })
 *   yield* control.Faults.add({ payload: { fault: "drop_after", count: 3 } })
 *   yield* control.Clock.advance({ payload: { seconds: 86_400 } })
 * })
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ url }: Options) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const api = yield* HttpApiClient.make(ControlApi.api, { baseUrl: url })
    const stream: RequestStream = liveRequests.follow(client, url)
    return { ...api, Requests: { ...api.Requests, stream } }
  })

/**
 * The methods of the `ControlClient` service: one for each control call, by group.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Effect.Effect.Success<ReturnType<typeof make>> {}

/**
 * The client of the control API.
 *
 * @since 0.1.0
 * @category services
 */
export class ControlClient extends Context.Tag("@manilla/sandbox/ControlClient")<
  ControlClient,
  Service
>() {}

/**
 * A layer that provides `ControlClient`. Sends nothing until a call is made.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<ControlClient, never, HttpClient.HttpClient> =>
  Layer.effect(ControlClient, make(options))
