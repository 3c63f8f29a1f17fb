/**
 * The wire format of the transaction operations.
 *
 * @since 0.1.0
 */
import * as Currency from "@manilla/core/Currency"
import * as Environment from "@manilla/core/Environment"
import * as Operation from "@manilla/core/Operation"
import * as Page from "@manilla/core/Page"
import * as Schema from "effect/Schema"
import * as Transaction from "./Transaction.js"

/**
 * The filters of a list. The interface does not list the values of `status`. It mentions another filter
 * of at most 120 characters without its name: pass that one in `extraParams`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TransactionFilter = Schema.Struct({
  per_page: Schema.optional(Page.PerPage),
  status: Schema.optional(Schema.String),
  currency: Schema.optional(Currency.Input),
  environment: Schema.optional(Environment.Input)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface TransactionFilter extends Schema.Schema.Type<typeof TransactionFilter> {}

/**
 * `GET /transactions`: lists transactions.
 *
 * @since 0.1.0
 * @category operations
 */
export const list = Operation.safe({
  method: "GET",
  path: "/transactions",
  summary: "List transactions",
  access: "transactions.read",
  urlParams: TransactionFilter,
  success: Page.of(Transaction.Transaction)
})

/**
 * `GET /transactions/{reference}`: reads a transaction.
 *
 * @since 0.1.0
 * @category operations
 */
export const get = Operation.safe({
  method: "GET",
  path: "/transactions/:reference",
  summary: "Read a transaction",
  access: "transactions.read",
  pathParams: Schema.Struct({ reference: Transaction.TransactionReference }),
  success: Transaction.TransactionDetail
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface TransactionsGroup extends Operation.Group<
  "Transactions",
  {
    readonly list: typeof list
    readonly get: typeof get
  }
> {}

/**
 * The transaction operations.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: TransactionsGroup = Operation.group("Transactions", { list, get })
