import { IdempotencyKey, Promises } from "@manilla/promises"

export const program = async () => {
  const { payments } = await Promises.make()
  const payer = { phone_number: "+2290161234567" }
  const collect = (amount: string) =>
    payments.collect(
      { country: "BJ", amount, currency: "XOF", payment_method: "mtn_momo", payer },
      { key: IdempotencyKey.derive("order", "42") }
    )

  await collect("1500")
  // The order has changed, but its key has not.
  return collect("2000")
}
