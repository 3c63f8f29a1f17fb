/**
 * Incoming payments. The service keeps the fee and credits the rest to the wallet of the currency.
 */
import * as Amount from "@manilla/core/Amount"
import * as Either from "effect/Either"
import type { StoredTransaction } from "../../Sandbox.js"
import type { Refusal } from "../rules/refusal.js"
import type { Movement, Transactions } from "../service/transactions.js"
import * as ledger from "./ledger.js"
import * as pricing from "./pricing.js"
import type { Wallets } from "./wallets.js"

/** A collection before its fee. */
export type Collected = Omit<Movement, "fee_amount">

export interface Collections {
  readonly collect: (
    atMillis: number,
    collected: Collected
  ) => Either.Either<StoredTransaction, Refusal>
}

export interface Options {
  readonly book: ledger.Book
  readonly wallets: Wallets
  readonly transactions: Transactions
}

export const make = ({ book, transactions, wallets }: Options): Collections => ({
  collect: (atMillis, collected) => {
    const { amount, currency, operation, source } = collected
    const fee_amount = pricing.collectionFee(amount)
    const posted = book.post(atMillis, {
      reference: source,
      description: operation.toLowerCase(),
      postings: [
        ledger.debit({ kind: "provider clearing", currency }, amount),
        ledger.credit(wallets.collecting(currency).available, Amount.subtract(amount, fee_amount)),
        ledger.credit({ kind: "fees earned", currency }, fee_amount)
      ]
    })
    return Either.map(posted, () => transactions.record(atMillis, { ...collected, fee_amount }))
  }
})
