import { IdempotencyKey } from "@manilla/core"
import type { PaymentIntent, Payments } from "@manilla/payments"
import type { Promises } from "@manilla/promises"

/** In the web handler: create the payment and respond. */
export const handle = async (
  { payments }: Promises.Promises,
  order: string,
  request: Payments.CollectRequest
) => {
  const created = await payments.create(
    { ...request, operation: "COLLECTION" },
    { key: IdempotencyKey.derive("order", order) }
  )
  // Store the id with the order here.
  if (created.ok) return { status: 202, body: { order, payment: created.value.id } }
  // No error status: the buyer may have been charged, and must not pay in another way. Store the request
  // with the order, and call `handle` with both again later: the key is the same, so nothing is paid twice.
  if (created.error._tag === "OutcomeUnknown") return { status: 202, body: { order } }
  throw created.error
}

/** In a worker, for each stored id: wait for the final status. */
export const follow = async (
  { payments }: Promises.Promises,
  id: PaymentIntent.PaymentIntentId
) => {
  const final = await payments.awaitFinal(id)
  if (!final.ok) throw final.error
  return final.value.status === "COMPLETED" ? "paid" : "not paid"
}
