// The same program with payments, without a token source.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export { status } from "./effect.js"

export const payments = Payments.layer.pipe(
  Layer.provide(Gateway.layer({ baseUrl: "https://example.com/api/v1" })),
  Layer.provide(FetchHttpClient.layer)
)

export const collect = (order: string) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.collect(
      {
        country: "BJ",
        amount: "1500",
        currency: "XOF",
        payment_method: "mtn_momo",
        payer: { phone_number: "+2290161234567" }
      },
      { key: IdempotencyKey.derive("order", order) }
    )
  )
