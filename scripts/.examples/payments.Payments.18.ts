import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"

const program = Effect.gen(function* () {
  const payments = yield* Payments.Payments
  return yield* payments.collect(
    {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290100000000" }
    },
    { key: IdempotencyKey.derive("order", "42") }
  )
})
