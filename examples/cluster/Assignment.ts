/** The payouts of this example, the same for every runner. */
import { IdempotencyKey } from "@manilla/core"

export const keys = Array.from({ length: 30 }, (_, i) =>
  IdempotencyKey.derive("payroll", "2026-11", `E${101 + i}`)
)

export const payout = (wallet_id: string, index: number) => ({
  wallet_id,
  amount: `${150_000 + 1_000 * index}`,
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination: `+22901610000${10 + index}`
})
