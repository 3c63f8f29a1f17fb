import type * as HttpClient from "@effect/platform/HttpClient"
import * as FetchClient from "@manilla/core/FetchClient"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Payments from "@manilla/payments/Payments"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { correlationId, nextKey, payment, rows } from "../messages.js"
import { effects, type Open } from "./drive.js"
import { gateway, gatewayWith, tokensFrom } from "./gateway.js"

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

const services = Layer.merge(Payments.layer, Transactions.layer)

const over =
  <E>(client: Layer.Layer<HttpClient.HttpClient, E>): Open =>
  (port) =>
    effects(Layer.provide(services, gatewayWith(port, tokensFrom(port), client)), calls)

export const manillaFetch = over(FetchClient.layer)

export const manilla = over(UndiciClient.layer)

export const manillaTokens: Open = (port) => effects(Layer.provide(services, gateway(port)), calls)
