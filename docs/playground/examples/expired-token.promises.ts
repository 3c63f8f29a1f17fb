import { IdempotencyKey, Promises } from "@manilla/promises"

export const program = async () => {
  const { payments } = await Promises.make()
  const payer = { phone_number: "+2290161234567" }
  const collect = (order: string) =>
    payments.collect(
      { country: "BJ", amount: "1500", currency: "XOF", payment_method: "mtn_momo", payer },
      { key: IdempotencyKey.derive("order", order) }
    )

  return Promise.all(["42", "43", "44"].map(collect))
}
