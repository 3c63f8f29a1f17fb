/**
 * Transactions: completed money movements with their fee and net amount.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Environment from "@manilla/core/Environment"
import * as Identifier from "@manilla/core/Identifier"
import * as Metadata from "@manilla/core/Metadata"
import * as OpenEnum from "@manilla/core/OpenEnum"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * The id of a transaction, a UUID. A transaction is read by its reference instead.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionId = Identifier.uuid("TransactionId")

/**
 * The reference of a transaction, by which it is read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionReference = Identifier.reference("TransactionReference")

/**
 * @since 0.1.0
 * @category models
 */
export type TransactionReference = typeof TransactionReference.Type

/**
 * Returns stored text as a reference. Throws a `ParseError` if it is empty.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeReference = (text: string): TransactionReference => TransactionReference.make(text)

/**
 * The status of a transaction: `COMPLETED`, or another string. The interface does not list the other
 * values.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Status = OpenEnum.make("COMPLETED")

const fields = {
  reference: TransactionReference,
  status: Status,
  amount: Amount.Amount,
  currency: Currency.Currency,
  id: Schema.optional(TransactionId),
  operation: Schema.optional(OperationKind.OperationKind),
  fee_amount: Schema.optional(Schema.NullOr(Amount.Amount)),
  /** The amount minus the fee: {@link isNetExact} checks it. */
  net_amount: Schema.optional(Schema.NullOr(Amount.Amount)),
  country: Schema.optional(Country.Country),
  environment: Schema.optional(Environment.Environment),
  completed_at: Schema.optional(Schema.NullOr(Timestamp.Timestamp)),
  created_at: Schema.optional(Timestamp.Timestamp)
}

/**
 * A transaction in a list.
 * Only the fields that every caller needs are required; a response without the others is valid too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transaction = Schema.Struct(fields).annotations({ identifier: "Transaction" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/**
 * A transaction as returned by a read.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionDetail = Schema.Struct({
  ...fields,
  provider_reference: Schema.optional(Schema.NullOr(Schema.String)),
  metadata: Schema.optional(Schema.NullOr(Metadata.Metadata))
}).annotations({ identifier: "TransactionDetail" })

/**
 * @since 0.1.0
 * @category models
 */
export interface TransactionDetail extends Schema.Schema.Type<typeof TransactionDetail> {}

/**
 * Returns `true` if `net_amount` is exactly `amount` minus `fee_amount`, and `false` if the fee or the
 * net amount is missing.
 *
 * @example
 * import * as Transaction from "@manilla/transactions/Transaction"
 *
 * const suspicious = (transactions: ReadonlyArray<Transaction.Transaction>) =>
 *   transactions.filter((transaction) => !Transaction.isNetExact(transaction))
 *
 * @since 0.1.0
 * @category checks
 */
export const isNetExact = ({ amount, fee_amount, net_amount }: Transaction): boolean =>
  Predicate.isNotNullable(fee_amount) &&
  Predicate.isNotNullable(net_amount) &&
  Amount.Equivalence(net_amount, Amount.subtract(amount, fee_amount))
