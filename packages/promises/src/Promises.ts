/**
 * Every call of Manilla as a promise, for programs that do not use Effect. Derived from the services: each
 * method takes the same arguments, and an `AbortSignal` in its options.
 *
 * @since 0.1.0
 */
import * as FetchClient from "@manilla/core/FetchClient"
import type * as Gateway from "@manilla/core/Gateway"
import * as UndiciModule from "@manilla/core/UndiciModule"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Manilla from "@manilla/token/Manilla"
import type * as Token from "@manilla/token/Token"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as calls from "./calls.js"

/**
 * The address of the service and the credentials. `retry` holds for calls and for token requests.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options
  extends Gateway.Options, Pick<Token.Options, "authUrl" | "clientId" | "environment">, Transport {
  readonly clientSecret: string
}

/**
 * How requests are sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Transport {
  /** Sends the requests, in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The module `undici` 7, which is faster than `fetch` on Node: `await import("undici")`. */
  readonly undici?: object | undefined
}

/**
 * How requests are sent, if the environment names the service. Another option needs all of `Options`: the account must
 * not come from two places.
 *
 * @since 0.1.0
 * @category models
 */
export type FromEnvironment = Transport & {
  readonly [Name in Exclude<keyof Options, keyof Transport>]?: never
}

/**
 * Connects to the service. Without options, or with `fetch` or `undici` only, reads the `MANILLA_…` variables of
 * `Manilla.config`. Rejects with an error that names the wrong setting. Make one for the whole process: its calls share the
 * token, the connections and the retry budget.
 *
 * @example
 * import { IdempotencyKey, Promises } from "@manilla/promises"
 *
 * const pay = async (order: string) => {
 *   const manilla = await Promises.make()
 *   const result = await manilla.payments.collect(
 *     {
 *       country: "BJ",
 *       amount: "1500",
 *       currency: "XOF",
 *       payment_method: "mtn_momo",
 *       payer: { phone_number: "+2290100000000" }
 *     },
 *     { key: IdempotencyKey.derive("order", order) }
 *   )
 *   await manilla.close()
 *   return result.ok ? result.value.status : result.error.message
 * }
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options | FromEnvironment = {}): Promise<calls.Promises> => {
  const gateway = isAccount(options) ? layerOf(options) : Manilla.layerConfig()
  return calls.makeWith(Layer.provide(gateway, clientOf(options)))
}

/** Whether an option is not about how requests are sent. */
const isAccount = (options: Options | FromEnvironment): options is Options =>
  Object.keys(options).some((name) => name !== "fetch" && name !== "undici")

const layerOf = (options: Options) => {
  const token = { ...options, clientSecret: Redacted.make(options.clientSecret) }
  return Manilla.layer({ gateway: token, token })
}

const clientOf = ({ fetch, undici }: Transport) => {
  if (undici !== undefined) return UndiciModule.layer(undici)
  return fetch === undefined
    ? FetchClient.layer
    : Layer.sync(HttpClient.HttpClient, () => FetchClient.make(fetch))
}

/**
 * @since 0.1.0
 * @category models
 */
export type Promises = calls.Promises

/**
 * @since 0.1.0
 * @category models
 */
export type Result<A, E> = calls.Result<A, E>
