import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  const collect = (amount: string) =>
    payments.collect(
      { country: "BJ", amount, currency: "XOF", payment_method: "mtn_momo", payer },
      { key: IdempotencyKey.derive("order", "42") }
    )

  yield* collect("1500")
  // The order has changed, but its key has not.
  return yield* collect("2000")
})
