import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Array, Effect } from "effect"

export const program = Effect.gen(function* () {
  const payouts = yield* Payouts.Payouts
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

  return yield* Effect.forEach(Array.range(1, 20), pay, { concurrency: 4 })
})
