import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const layer = PayoutBatch.layer({ concurrency: 20 }).pipe(Layer.provide(DisbursePayout.layer()))

const program = Effect.gen(function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* batches.start("payroll:2026-11", [
    {
      key: "E007",
      request: {
        wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
        amount: "250000",
        currency: "XOF",
        country: "BJ",
        payment_method: "mtn_momo",
        destination: "+2290161234567"
      }
    }
  ])
  return yield* batches.await("payroll:2026-11")
})
