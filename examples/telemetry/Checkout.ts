import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

/** Its own span is the parent of the library's spans. */
export const checkout = Effect.gen(function* () {
  const payments = yield* Payments.Payments
  return yield* payments.collect(
    {
      country: "BJ",
      amount: "1500",
      currency: "XOF",
      payment_method: "mtn_momo",
      payer: { phone_number: "+2290161234567" }
    },
    { key: IdempotencyKey.derive("order", "42") }
  )
}).pipe(Effect.withSpan("checkout"))
