/**
 * A gateway to the sandbox that uses the sandbox's credentials, for tests.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import type { ConfigurationError } from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as Token from "@manilla/token/Token"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sandbox from "./Sandbox.js"

/**
 * Options of a gateway to the sandbox. `pageParameter` defaults to the sandbox's own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Omit<Gateway.Options, "baseUrl"> {}

/**
 * A gateway over the `HttpClient` in context. `SandboxClient.layer` provides one without sockets; a
 * `SandboxServer` works with any client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Gateway.Gateway | BearerTokens.BearerTokens,
  ConfigurationError,
  Sandbox.Sandbox | HttpClient.HttpClient
> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const { authUrl, baseUrl, credentials } = yield* Sandbox.Sandbox
      const { client_id: clientId, client_secret: clientSecret } = yield* credentials
      return Gateway.layer({ pageParameter: Sandbox.pageParameter, ...options, baseUrl }).pipe(
        Layer.provideMerge(Token.layer({ authUrl, clientId, clientSecret, retry: options.retry }))
      )
    })
  )
