import type * as HttpClient from "@effect/platform/HttpClient"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Manilla from "@manilla/token/Manilla"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { nextKey, payment } from "../messages.js"
import { payTo } from "./start.js"

/** Pays with a client. */
export const payOver = <E>(client: Layer.Layer<HttpClient.HttpClient, E>): Promise<void> =>
  payTo(({ address }) => {
    const clientSecret = Redacted.make("bench")
    const manilla = Manilla.layer({
      gateway: { baseUrl: address },
      token: { authUrl: address, clientId: "bench", clientSecret }
    })
    const live = Payments.layer.pipe(Layer.provide(manilla), Layer.provide(client))
    return Effect.flatMap(Payments.Payments, ({ create }) =>
      create(payment, { key: IdempotencyKey.make(nextKey()) })
    ).pipe(Effect.provide(live), Effect.runPromise)
  })
