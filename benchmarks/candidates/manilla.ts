import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Token from "@manilla/token/Token"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { correlationId, nextKey, payment, root, rows, uuid } from "../wire/messages.js"
import { effects, type Open } from "./drive.js"
import { recordingTracer } from "./recordingTracer.js"

const id = PaymentIntent.makeId(uuid(1))
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
    get: Effect.suspend(() => payments.get(id)),
    list: Effect.map(
      Effect.suspend(() => transactions.list({ per_page: rows })),
      (page): unknown => page
    )
  })
)

/** The services over a gateway with tokens from the server. */
const manilla = <E>(port: number, client: Layer.Layer<HttpClient.HttpClient, E>) => {
  const address = `http://127.0.0.1:${port}${root}`
  const tokens = Token.layer({
    authUrl: address,
    clientId: "bench",
    clientSecret: Redacted.make("bench")
  })
  return Layer.mergeAll(Payments.layer, Transactions.layer).pipe(
    Layer.provide(Gateway.layer({ baseUrl: address })),
    Layer.provide(tokens),
    Layer.provide(client)
  )
}

const over =
  <E>(client: Layer.Layer<HttpClient.HttpClient, E>): Open =>
  (port) =>
    effects(manilla(port, client), calls)

export const overFetch = over(FetchHttpClient.layer)

export const overUndici = over(NodeHttpClient.layerUndici)

export const lean = over(UndiciClient.layer)

export const leanTraced: Open = (port) =>
  effects(Layer.merge(manilla(port, UndiciClient.layer), Layer.setTracer(recordingTracer())), calls)
