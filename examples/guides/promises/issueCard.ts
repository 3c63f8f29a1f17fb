import { IdempotencyKey, type Promises } from "@manilla/promises"

export const issueCard = (
  { cards }: Promises.Promises,
  customer_id: string,
  wallet_id: string,
  employee: string
) =>
  cards.issue(
    { customer_id, wallet_id, debit_currency: "XOF", initial_balance: "10" },
    { key: IdempotencyKey.derive("card", employee) }
  )
