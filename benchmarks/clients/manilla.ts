import type * as HttpClient from "@effect/platform/HttpClient"
import * as BearerTokens from "@manilla/core/BearerTokens"
import * as FetchClient from "@manilla/core/FetchClient"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Payments from "@manilla/payments/Payments"
import * as Token from "@manilla/token/Token"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { correlationId, nextKey, payment, root, rows, token } from "../messages.js"
import { effects, type Open } from "./drive.js"

const correlation = Identifier.makeCorrelationId(correlationId)

const calls = Effect.map(
  Effect.all([Payments.Payments, Transactions.Transactions]),
  ([payments, transactions]) => ({
    create: Effect.suspend(() =>
      payments.create(payment, {
        key: IdempotencyKey.make(nextKey()),
        correlationId: correlation
      })
    ),
    list: Effect.map(
      Effect.suspend(() => transactions.list({ per_page: rows })),
      (page): unknown => page
    )
  })
)

const addressOf = (port: number) => `http://127.0.0.1:${port}${root}`

const tokensFrom = (port: number) =>
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

const gatewayWith = <E, E2>(
  port: number,
  tokens: Layer.Layer<BearerTokens.BearerTokens, E, HttpClient.HttpClient>,
  client: Layer.Layer<HttpClient.HttpClient, E2>
) => Gateway.layer({ baseUrl: addressOf(port) }).pipe(Layer.provide(tokens), Layer.provide(client))

const services = Layer.merge(Payments.layer, Transactions.layer)

const over =
  <E>(client: Layer.Layer<HttpClient.HttpClient, E>): Open =>
  (port) =>
    effects(Layer.provide(services, gatewayWith(port, tokensFrom(port), client)), calls)

export const overFetch = over(FetchClient.layer)

export const overUndici = over(UndiciClient.layer)

/** A gateway over undici with the user's own tokens. */
export const gateway = (port: number) => gatewayWith(port, ownTokens, UndiciClient.layer)

export const withOwnTokens: Open = (port) => effects(Layer.provide(services, gateway(port)), calls)
