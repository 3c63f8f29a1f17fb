import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Effect from "effect/Effect"

const program = Effect.gen(function* () {
  const payouts = yield* DisbursePayout.DisbursePayout
  yield* payouts.start("payroll:2026-11:E007", {
    wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
    amount: "250000",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  })
  return yield* payouts.await("payroll:2026-11:E007")
})
