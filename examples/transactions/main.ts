/**
 * Reads all pages of the transactions as a stream, and prints exact totals. It checks that each net amount
 * is the amount minus the fee.
 * Takes 6 seconds.
 */
import { Amount, IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Transaction, Transactions } from "@manilla/transactions"
import { Effect, Stream } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"

const sale = (amount: string, index: number) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.collect(
      {
        country: "BJ",
        amount,
        currency: "XOF",
        payment_method: "mtn_momo",
        payer: { phone_number: "+2290161234567" }
      },
      { key: IdempotencyKey.derive("transactions", "sale", String(index)) }
    )
  )

const program = Effect.gen(function* () {
  const amounts = Array.from({ length: 35 }, (_, i) => `${1000 + i}.${i * 7}5`)
  yield* Timeline.print("sales", `${amounts.length} collections started`)
  yield* Effect.forEach(amounts, sale, { concurrency: "unbounded" })

  const transactions = yield* Transactions.Transactions
  const rows = yield* transactions
    .stream({ per_page: 10, currency: "XOF", status: "COMPLETED" })
    .pipe(
      Stream.filter(({ operation }) => operation === "COLLECTION"),
      Stream.runCollect,
      Effect.map((chunk) => Array.from(chunk))
    )
  const total = (
    member: (transaction: Transaction.Transaction) => Amount.Amount | null | undefined
  ) => Amount.sum(rows.flatMap((row) => member(row) ?? []))

  yield* Timeline.print("read", `${rows.length} transactions, 10 per page`)
  yield* Timeline.print("collected", `${total(({ amount }) => amount)} XOF`)
  yield* Timeline.print("fees", `${total(({ fee_amount }) => fee_amount)} XOF`)
  yield* Timeline.print("net", `${total(({ net_amount }) => net_amount)} XOF`)
  const wrong = rows.filter((row) => !Transaction.isNetExact(row))
  yield* Timeline.print(
    "checked",
    `${wrong.length} transactions whose net amount is not amount minus fee`
  )
})

Example.run("All transactions", program)
