import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

// #region collect
export const program = Effect.gen(function* () {
  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  const payment = yield* payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    { key: IdempotencyKey.derive("order", "42") }
  )
  return payment.status === "COMPLETED"
})
// #endregion
