import { IdempotencyKey, type Promises } from "@manilla/promises"

export const bonus = ({ payouts }: Promises.Promises, wallet_id: string) =>
  payouts.disburse(
    {
      wallet_id,
      amount: "250000",
      currency: "XOF",
      country: "BJ",
      payment_method: "mtn_momo",
      destination: "+2290161234567"
    },
    { key: IdempotencyKey.derive("bonus", "2026-11", "employee-7") }
  )
