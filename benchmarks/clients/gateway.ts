// Gateways of Manilla.
import type * as HttpClient from "@effect/platform/HttpClient"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as Gateway from "@manilla/core/Gateway"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Token from "@manilla/token/Token"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { root, token } from "../messages.js"

const addressOf = (port: number) => `http://127.0.0.1:${port}${root}`

export const tokensFrom = (port: number) =>
  Token.layer({
    authUrl: addressOf(port),
    clientId: "bench",
    clientSecret: Redacted.make("bench")
  })

/** A token source of the user's own, which has no more than the required methods. */
const ownTokens = Layer.succeed(BearerTokens.BearerTokens, {
  get: () => Effect.succeed({ value: Redacted.make(token), environment: "SANDBOX", scopes: [] }),
  reject: () => Effect.void
})

export const gatewayWith = <E, E2>(
  port: number,
  tokens: Layer.Layer<BearerTokens.BearerTokens, E, HttpClient.HttpClient>,
  client: Layer.Layer<HttpClient.HttpClient, E2>
) => Gateway.layer({ baseUrl: addressOf(port) }).pipe(Layer.provide(tokens), Layer.provide(client))

/** A gateway over undici with the user's own tokens. */
export const gateway = (port: number) => gatewayWith(port, ownTokens, UndiciClient.layer)
