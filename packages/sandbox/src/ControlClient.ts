/**
 * A typed client of the control API, for a sandbox in another process.
 *
 * @since 0.1.0
 */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Record from "effect/Record"
import * as ControlApi from "./ControlApi.js"

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
 * The calls of a sandbox in another process.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends ControlApi.Calls<Failure> {}

type Failure = ControlApi.ControlError | HttpClientError.HttpClientError | ParseResult.ParseError

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
    const methods = yield* HttpApiClient.make(ControlApi.api, { baseUrl: url })
    const groups = Object.values(ControlApi.api.groups).map((group) => {
      const calls = callsOf(
        group.endpoints as never,
        group.topLevel ? methods : methods[group.identifier]
      )
      return group.topLevel ? calls : { [group.identifier]: calls }
    })
    // Each call is made from the endpoint of the same name, as `Calls` requires.
    return Object.assign({}, ...groups) as never
  })

type Send = (request: object) => Effect.Effect<unknown>

/** The members of the input go to the path, the query or the body, whose schemas leave out the others. */
const callsOf = (
  endpoints: Readonly<Record<string, HttpApiEndpoint.HttpApiEndpoint.AnyWithProps>>,
  methods: object
) =>
  Record.map(endpoints, ({ name, pathSchema, payloadSchema, urlParamsSchema }) => {
    const send: Send = methods[name as never]
    return [pathSchema, payloadSchema, urlParamsSchema].every(Option.isNone)
      ? send({})
      : (input: object = {}) => send({ path: input, urlParams: input, payload: input })
  })

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
