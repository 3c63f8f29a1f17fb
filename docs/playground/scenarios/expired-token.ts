import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Sandbox } from "@manilla/sandbox"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  const collect = (order: string) =>
    payments.collect(
      { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
      { key: IdempotencyKey.derive("order", order) }
    )

  yield* collect("42")
  // The clock of the service is set forward: for the service, the token has expired.
  yield* sandbox.advance({ seconds: 3600 })
  return yield* Effect.all([collect("43"), collect("44"), collect("45")], {
    concurrency: "unbounded"
  })
})
