import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Fault, Sandbox } from "@manilla/sandbox"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const { faults } = yield* Sandbox.Sandbox
  // The service makes the payment, but its first two responses are lost.
  yield* faults.add(Fault.dropAfter({ operation: "Payments.create", count: 2 }))

  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  return yield* payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    { key: IdempotencyKey.derive("order", "42") }
  )
})
