import { IdempotencyKey, Promises } from "@manilla/promises"

export const program = async () => {
  const { payments } = await Promises.make()
  const payer = { phone_number: "+2290161234567" }
  // Creates the payment, and reads it until its status is final.
  return payments.collect(
    { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
    { key: IdempotencyKey.derive("order", "42") }
  )
}
