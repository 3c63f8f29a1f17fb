import { Errors, IdempotencyKey } from "@manilla/core"
import type { Promises } from "@manilla/promises"

/** An order of the shop. Its amount and phone number are stored before anything is sent. */
export interface Order {
  readonly id: string
  readonly amount: string
  readonly phone: string
  /** Whether an earlier request may have started its payment. It is stored before the first one is sent. */
  readonly wasSent: boolean
}

export interface Answer {
  readonly status: 202 | 503
  readonly body: { readonly order: string; readonly message: string; readonly payment?: string }
}

/** Starts the payment of an order, at most once, and answers at once. */
export const pay = async (manilla: Promises.Promises, order: Order): Promise<Answer> => {
  const created = await manilla.payments.create(
    {
      operation: "COLLECTION",
      country: "BJ",
      amount: order.amount,
      currency: "XOF",
      payment_method: "mtn_momo",
      payer: { phone_number: order.phone }
    },
    { key: IdempotencyKey.derive("order", order.id), timeout: "10 seconds" }
  )
  const answer = (status: 202 | 503, message: string) => ({
    status,
    body: { order: order.id, message }
  })
  if (created.ok) {
    const { body, status } = answer(202, "Confirm the payment on your phone.")
    return { status, body: { ...body, payment: created.value.id } }
  }
  // A refusal of this request tells nothing about an earlier one.
  return Errors.outcome(created.error) === "notApplied" && !order.wasSent
    ? answer(503, "This request started no payment. Check your order before you try again.")
    : answer(202, "We are verifying your payment. Do not pay again.")
}
