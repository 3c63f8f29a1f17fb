import * as Refund from "@manilla/refunds/Refund"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Effect from "effect/Effect"

const refund = Effect.gen(function* () {
  const refunds = yield* Refunds.Refunds
  return yield* refunds.awaitFinal(Refund.RefundReference.make("RFD-42"))
})
