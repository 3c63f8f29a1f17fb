/**
 * Collects a payment with a web handler that responds at once, and a worker that waits.
 */
import { IdempotencyKey } from "@manilla/core"
import { type PaymentIntent, Payments } from "@manilla/payments"
import { Effect } from "effect"

/** In the web handler: create the payment and respond. */
export const handle = (order: string, request: Payments.CollectRequest) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const { id } = yield* payments.create(
      { ...request, operation: "COLLECTION" },
      { key: IdempotencyKey.derive("order", order) }
    )
    // Store the id with the order here.
    return { status: 202, body: { order, payment: id } }
  }).pipe(
    // No error status: the buyer may have been charged, and must not pay in another way. Store the request
    // with the order, and call `handle` with both again later: the key is the same, so nothing is paid twice.
    Effect.catchTag("OutcomeUnknown", () => Effect.succeed({ status: 202, body: { order } }))
  )

/** In a worker, for each stored id: wait for the final status. */
export const follow = (id: PaymentIntent.PaymentIntentId) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const payment = yield* payments.awaitFinal(id)
    return payment.status === "COMPLETED" ? "paid" : "not paid"
  })
