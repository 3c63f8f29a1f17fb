import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Effect from "effect/Effect"

const salary = Effect.gen(function* () {
  const payouts = yield* Payouts.Payouts
  return yield* payouts.disburse(
    {
      wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
      amount: "250000",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290161234567"
    },
    { key: IdempotencyKey.derive("salary", "2026-11", "employee-7") }
  )
})
