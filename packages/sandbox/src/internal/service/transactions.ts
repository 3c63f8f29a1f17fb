/**
 * Transactions, one for each completed movement of money (interface sections 2.3, 4.3 and 4.4).
 */
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import type * as Currency from "@manilla/core/Currency"
import * as Metadata from "@manilla/core/Metadata"
import type { OperationKind } from "@manilla/core/OperationKind"
import type { Page } from "@manilla/core/Page"
import * as Transaction from "@manilla/transactions/Transaction"
import type { TransactionFilter } from "@manilla/transactions/TransactionsApi"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { StoredTransaction } from "../../Sandbox.js"
import type { Identifiers } from "../rules/identifiers.js"
import * as pages from "../rules/pages.js"
import type { Rule } from "../rules/refusal.js"
import * as refusal from "../rules/refusal.js"
import * as table from "../store/table.js"
import * as moment from "../time/moment.js"

const Row = Schema.Struct({
  ...Transaction.TransactionDetail.fields,
  source: Schema.String,
  fee_amount: Amount.Amount,
  net_amount: Amount.Amount,
  country: Country.Country,
  metadata: Metadata.Metadata
})

export const declared = table.table(Row, ({ reference }) => reference)

export interface Options {
  readonly rows: table.Table<typeof Row.Type>
  readonly identifiers: Identifiers
}

/**
 * A movement of money. The fee is deducted from a collection and charged on top of a payout. In both
 * cases, the interface defines the net amount as the amount minus the fee.
 */
export interface Movement {
  /** The reference of the resource that moved the money. */
  readonly source: string
  readonly operation: OperationKind
  readonly amount: Amount.Amount
  readonly fee_amount: Amount.Amount
  readonly currency: Currency.Currency
  readonly country: Country.Country
  readonly provider_reference: string
  readonly metadata: Metadata.Metadata
}

export interface Transactions {
  readonly record: (atMillis: number, movement: Movement) => StoredTransaction
  readonly list: (filter: TransactionFilter, page: number) => Rule<Page<Transaction.Transaction>>
  readonly get: (reference: Transaction.TransactionReference) => Rule<Transaction.TransactionDetail>
  readonly find: (reference: string) => StoredTransaction | undefined
  readonly all: () => ReadonlyArray<StoredTransaction>
}

export const make = ({ identifiers, rows }: Options): Transactions => {
  return {
    record: (atMillis, movement) => {
      const at = moment.fromMillis(atMillis)
      const stored: StoredTransaction = {
        id: Transaction.TransactionId.make(identifiers.uuid()),
        reference: Transaction.makeReference(identifiers.reference("TRX")),
        ...movement,
        net_amount: Amount.subtract(movement.amount, movement.fee_amount),
        environment: "SANDBOX",
        status: "COMPLETED",
        completed_at: at,
        created_at: at
      }
      rows.set(stored)
      return stored
    },
    list:
      ({ currency, environment, per_page, status }, page) =>
      () => {
        const matching = rows
          .all()
          .filter(
            (one) =>
              (status === undefined || one.status === status) &&
              (currency === undefined || one.currency === currency) &&
              (environment === undefined || one.environment === environment)
          )
        const selected = pages.select(matching, { page, per_page })
        return Either.right({ ...selected, data: selected.data.map(listed) })
      },
    get: (reference) => () => {
      const stored = rows.get(reference)
      return stored === undefined
        ? Either.left(unknown)
        : Either.right(Struct.omit(stored, "source"))
    },
    find: (reference) => rows.get(reference),
    all: () => rows.all()
  }
}

const listed = Struct.omit("source", "provider_reference", "metadata")

const unknown = refusal.notFound("The transaction does not exist.")
