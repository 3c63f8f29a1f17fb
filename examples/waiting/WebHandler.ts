/**
 * Collects a payment with a web handler that responds at once, and a worker that waits.
 */
import { Errors, IdempotencyKey } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Effect } from "effect"

/** An order. Its request is stored before it is sent. */
export interface Order {
  readonly id: string
  readonly request: Payments.CollectRequest
  readonly payment?: PaymentIntent.PaymentIntentId | undefined
}

/** In the web handler: create the payment, and respond. Store its id with the order. */
export const handle = ({ id: order, request }: Order) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const { id: payment } = yield* payments.create(
      { ...request, operation: "COLLECTION" },
      { key: IdempotencyKey.derive("order", order) }
    )
    return { status: 202, body: { order, payment } }
  }).pipe(
    // No error status: the buyer may have been charged, and must not pay in another way.
    Effect.catchIf(
      (error) => Errors.outcome(error) !== "notApplied",
      (error) => {
        const id = error._tag === "AppliedUnreadable" ? error.id : undefined
        const payment = id === undefined ? undefined : PaymentIntent.makeId(id)
        return Effect.succeed({ status: 202, body: { order, payment } })
      }
    )
  )

/** In a worker, for each open order: find out whether it was paid. */
export const follow = (order: Order) =>
  Effect.gen(function* () {
    // Without an id, the outcome is unknown. The same request with the same key continues it.
    const id = order.payment ?? (yield* handle(order)).body.payment
    if (id === undefined) return "still unknown"
    const payments = yield* Payments.Payments
    const { status } = yield* payments.awaitFinal(id)
    return status === "COMPLETED" ? "paid" : `look at it: ${status}`
  })
