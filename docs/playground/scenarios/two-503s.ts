import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Fault, Sandbox } from "@manilla/sandbox"
import { Effect } from "effect"

export const program = Effect.gen(function* () {
  const { faults } = yield* Sandbox.Sandbox
  // Something in front of the service responds twice. The second time, it asks for a pause of 2 seconds.
  yield* faults.add(Fault.status(503, { operation: "Payments.create" }))
  yield* faults.add(Fault.status(503, { operation: "Payments.create", retry_after: 2 }))

  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  return yield* payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    { key: IdempotencyKey.derive("order", "42") }
  )
})
