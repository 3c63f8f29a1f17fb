import { Errors, IdempotencyKey } from "@manilla/core"
import { PaymentIntent, type Payments } from "@manilla/payments"
import type { Promises } from "@manilla/promises"

/** An order. Its request is stored before it is sent. */
export interface Order {
  readonly id: string
  readonly request: Payments.CollectRequest
  readonly payment?: PaymentIntent.PaymentIntentId | undefined
}

/** In the web handler: create the payment, and respond. Store its id with the order. */
export const handle = async ({ payments }: Promises.Promises, { id: order, request }: Order) => {
  const created = await payments.create(
    { ...request, operation: "COLLECTION" },
    { key: IdempotencyKey.derive("order", order) }
  )
  if (created.ok) return { status: 202, body: { order, payment: created.value.id } }
  const { error } = created
  if (Errors.outcome(error) === "notApplied") throw error
  // No error status: the buyer may have been charged, and must not pay in another way.
  const id = error._tag === "AppliedUnreadable" ? error.id : undefined
  const payment = id === undefined ? undefined : PaymentIntent.makeId(id)
  return { status: 202, body: { order, payment } }
}

/** In a worker, for each open order: find out whether it was paid. */
export const follow = async (manilla: Promises.Promises, order: Order) => {
  // Without an id, the outcome is unknown. The same request with the same key continues it.
  const payment = order.payment ?? (await handle(manilla, order)).body.payment
  if (payment === undefined) return "still unknown"
  const final = await manilla.payments.awaitFinal(payment)
  if (!final.ok) throw final.error
  const { status } = final.value
  return status === "COMPLETED" ? "paid" : `look at it: ${status}`
}
