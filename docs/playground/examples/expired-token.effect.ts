import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  const collect = (order: string) =>
    payments.collect(
      { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
      { key: IdempotencyKey.derive("order", order) }
    )

  return yield* Effect.forEach(["42", "43", "44"], collect, { concurrency: "unbounded" })
})
