/**
 * Transactions, one for each completed movement of money (interface sections 2.3, 4.3 and 4.4).
 */
import * as Amount from "@manilla/core/Amount"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import * as ledger from "../money/ledger.js"
import * as pricing from "../money/pricing.js"
import * as pages from "../rules/pages.js"
import * as refusal from "../rules/refusal.js"
import type * as state from "../store/state.js"
import * as moment from "../time/moment.js"
import type { Core, Handlers } from "./core.js"

type Row = typeof state.TransactionRow.Type

const carried = [
  "operation",
  "amount",
  "currency",
  "country",
  "provider_reference",
  "metadata",
  // The reference of the resource that moves the money.
  "source"
] as const

/** A movement of money before its fee. */
export interface Movement extends Pick<Row, (typeof carried)[number]> {}

export interface Transactions extends ReturnType<typeof make> {}

export const make = ({ book, identifiers, state, wallets }: Core) => {
  const rows = state.transactions

  /**
   * The fee is deducted from a collection and charged on top of a payout. In both cases, the interface
   * defines the net amount as the amount minus the fee.
   */
  const record = (
    atMillis: number,
    movement: Movement & { readonly fee_amount: Amount.Amount }
  ): Row => {
    const { amount, fee_amount } = movement
    const at = moment.fromMillis(atMillis)
    const row: Row = {
      ...Struct.pick(movement, ...carried),
      id: Transaction.TransactionId.make(identifiers.uuid()),
      reference: Transaction.TransactionReference.make(identifiers.reference("TRX")),
      fee_amount,
      net_amount: Amount.subtract(amount, fee_amount),
      environment: "SANDBOX",
      status: "COMPLETED",
      completed_at: at,
      created_at: at
    }
    rows.set(row)
    return row
  }

  /** Receives a payment. The service keeps the fee and credits the rest to the wallet of the currency. */
  const collect = (atMillis: number, movement: Movement): Either.Either<Row, refusal.Refusal> => {
    const { amount, currency, operation, source } = movement
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
    return Either.map(posted, () => record(atMillis, { ...movement, fee_amount }))
  }

  const get = (reference: string) => refusal.found("transaction", rows.get(reference))

  const handlers: Handlers<"Transactions.list" | "Transactions.get"> = {
    "Transactions.list": ({ urlParams }, { search }) => {
      const { currency, environment, per_page, status } = urlParams
      const selected = rows
        .all()
        .filter(
          (one) =>
            (status === undefined || one.status === status) &&
            (currency === undefined || one.currency === currency) &&
            (environment === undefined || one.environment === environment)
        )
      return pages.select(selected, search, per_page)
    },
    "Transactions.get": ({ path }) => get(path.reference)
  }

  return { handlers, record, collect, get }
}
