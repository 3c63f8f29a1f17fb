/**
 * A typed client of the control API, for a sandbox in another process.
 *
 * @since 0.1.0
 */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
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
 * The calls of a sandbox in another process. Its `liveRequests` connect again after a lost connection, and
 * then start anew with `reset`. They fail after about 13 seconds without the sandbox, and at once if it refuses
 * them. They do not notice a connection that is lost without being closed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends ControlApi.Calls<
  ControlApi.ControlError | HttpClientError.HttpClientError | ParseResult.ParseError
> {}

/**
 * Makes a client that sends its requests with the `HttpClient` in context.
 *
 * @example
 * import * as ControlClient from "@manilla/sandbox/ControlClient"
 * import * as Effect from "effect/Effect"
 *
 * const nextDay = Effect.gen(function* () {
 *   const control = yield* ControlClient.make({ url: "http://127.0.0.1:4010" })
 *   yield* control.faults.add({ fault: "drop_after", count: 3 })
 *   yield* control.advance({ seconds: 86_400 })
 * })
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ url }: Options): Effect.Effect<Service, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const { faults, ...others } = yield* HttpApiClient.make(ControlApi.api, { baseUrl: url })
    const calls = { ...callsOf(others), faults: callsOf(faults) }
    // Each call is made from the endpoint of the same name, as `Calls` requires.
    return { ...calls, liveRequests: liveRequests.follow(client, url) } as never
  })

type Send = (request: object) => Effect.Effect<unknown>

const withoutInput: ReadonlySet<string> = new Set(
  Object.values(ControlApi.api.groups).flatMap(({ endpoints }) =>
    Object.values<HttpApiEndpoint.HttpApiEndpoint.AnyWithProps>(endpoints as never)
      .filter(({ pathSchema, payloadSchema, urlParamsSchema }) =>
        [pathSchema, payloadSchema, urlParamsSchema].every(Option.isNone)
      )
      .map(({ name }) => name)
  )
)

/** The members of the input go to the path, the query or the body, whose schemas leave out the others. */
const callsOf = (methods: object) =>
  Object.fromEntries(
    Object.entries<Send>(methods as never).map(([name, send]) => [
      name,
      withoutInput.has(name)
        ? send({})
        : (input: object = {}) => send({ path: input, urlParams: input, payload: input })
    ])
  )

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
