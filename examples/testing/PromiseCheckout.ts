/**
 * A part of an application with promises, which its tests run on a sandbox.
 */
import { IdempotencyKey, type Promises } from "@manilla/promises"

const payer = { phone_number: "+2290161234567" }

export const checkout = async ({ payments }: Promises.Promises, order: string) => {
  const paid = await payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    { key: IdempotencyKey.derive("order", order) }
  )
  if (paid.ok) return paid.value.status === "COMPLETED" ? "paid" : `not paid: ${paid.value.status}`
  const { error } = paid
  return error._tag === "OutcomeUnknown" ? `repeat later, with the key ${error.key}` : error.message
}
