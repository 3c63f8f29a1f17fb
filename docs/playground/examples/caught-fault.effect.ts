import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Prove } from "@manilla/sandbox"
import { Effect, Layer } from "effect"

// The order in the database of a shop.
const order: { state: Prove.Told; presses: number } = { state: "open", presses: 0 }

const press = Effect.gen(function* () {
  if (order.state !== "open") return
  const payments = yield* Payments.Payments
  const payer = { phone_number: "+2290161234567" }
  const payment = yield* payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    // The mistake: a new key for each press.
    { key: IdempotencyKey.derive("order", "42", String(++order.presses)) }
  )
  order.state = payment.status === "COMPLETED" ? "paid" : "review"
})

export const program = Prove.everyFault({
  store: Layer.effectDiscard(
    Effect.sync(() => Object.assign(order, { state: "open", presses: 0 }))
  ),
  process: Payments.layer,
  lives: { press },
  script: ["press"],
  told: Effect.sync(() => order.state),
  // Without this line, it runs each fault at each request.
  run: "1st Payments.create: death after"
})
