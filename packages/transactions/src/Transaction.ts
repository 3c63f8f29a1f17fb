/**
 * The transaction: money that has moved, what was asked for it, and what is left (interface
 * section 2.3).
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
 * @since 0.1.0
 * @category schemas
 */
export const TransactionId = Identifier.uuid("TransactionId")

/**
 * What a transaction is read by.
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
 * `COMPLETED` is returned; other values are not shown by the interface.
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
 * A transaction as it is listed.
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
 * A transaction as it is read by its reference.
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
 * Whether `net_amount` is `amount` minus `fee_amount`, to the last digit. `false` too when the fee
 * or the net amount is missing: then there is nothing to go by.
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
