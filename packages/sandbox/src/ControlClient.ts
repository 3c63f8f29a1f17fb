/**
 * A typed client of the control API, for a sandbox in another process.
 *
 * @since 0.1.0
 */
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
 * Makes a client that sends its requests with the `HttpClient` in context.
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
export const make = ({ url }: Options) => HttpApiClient.make(ControlApi.api, { baseUrl: url })

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
