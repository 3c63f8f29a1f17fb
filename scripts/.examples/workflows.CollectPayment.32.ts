import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as Effect from "effect/Effect"

const program = Effect.gen(function* () {
  const payments = yield* CollectPayment.CollectPayment
  yield* payments.start("order-42", {
    country: "BJ",
    amount: "1500",
    currency: "XOF",
    payment_method: "mtn_momo",
    payer: { phone_number: "+2290100000000" }
  })
  return yield* payments.await("order-42")
})
