/**
 * The gateway and its tokens in one layer. It requires only an `HttpClient`.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type { ConfigurationError } from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as Config from "effect/Config"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Token from "./Token.js"

/**
 * Options of the layer.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Options of the gateway. */
  readonly gateway: Gateway.Options
  /** The credentials, and options of token requests. */
  readonly token: Token.Options
}

/**
 * A layer that provides the gateway, with tokens from client credentials.
 *
 * @example
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as Redacted from "effect/Redacted"
 *
 * const gateway = Manilla.layer({
 *   gateway: { baseUrl: "https://api.example/api/v1" },
 *   token: {
 *     authUrl: "https://accounts.example/api/v1",
 *     clientId: "app_42",
 *     clientSecret: Redacted.make("from your vault")
 *   }
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = ({
  gateway,
  token
}: Options): Layer.Layer<Gateway.Gateway, ConfigurationError, HttpClient.HttpClient> =>
  Layer.provide(Gateway.layer(gateway), Token.layer(token))

/**
 * Reads the options from `MANILLA_BASE_URL`, `MANILLA_AUTH_URL`, `MANILLA_CLIENT_ID`,
 * `MANILLA_CLIENT_SECRET` and the optional `MANILLA_ENVIRONMENT` and `MANILLA_PAGE_PARAMETER`. The
 * error lists all missing settings.
 *
 * @since 0.1.0
 * @category config
 */
export const config: Config.Config<Options> = Config.all({
  gateway: Gateway.config,
  token: Token.config
})

/**
 * A layer that provides the gateway, with tokens from client credentials and options from the
 * configuration.
 *
 * @example
 * import * as UndiciClient from "@manilla/core/UndiciClient"
 * import * as Payments from "@manilla/payments/Payments"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as Layer from "effect/Layer"
 *
 * const live = Payments.layer.pipe(
 *   Layer.provide(Manilla.layerConfig()),
 *   Layer.provide(UndiciClient.layer)
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options: Config.Config.Wrap<Options> = config
): Layer.Layer<
  Gateway.Gateway,
  ConfigError.ConfigError | ConfigurationError,
  HttpClient.HttpClient
> => Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))
