import { IdempotencyKey, Promises } from "@manilla/promises"

export const program = async () => {
  const { payouts } = await Promises.make()
  const payout = {
    wallet_id: "0198c5a2-7c1e-4f6b-9d3a-5e8f20417b6c",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  }
  const pay = (employee: number) =>
    payouts.create(
      { ...payout, amount: String(100_000 + 1_000 * employee) },
      { key: IdempotencyKey.derive("salary", "2026-11", String(employee)) }
    )

  const paid = []
  for (let first = 1; first <= 20; first += 4) {
    paid.push(...(await Promise.all([0, 1, 2, 3].map((next) => pay(first + next)))))
  }
  return paid
}
