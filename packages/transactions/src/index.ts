/**
 * The transaction: money that has moved, what was asked for it, and what is left (interface
 * section 2.3).
 *
 * @since 0.1.0
 */
export * as Transaction from "./Transaction.js"

/**
 * Transactions: list, stream over all pages, and read one.
 *
 * @since 0.1.0
 */
export * as Transactions from "./Transactions.js"

/**
 * The transaction operations as they are on the wire (interface sections 4.3 and 4.4).
 *
 * @since 0.1.0
 */
export * as TransactionsApi from "./TransactionsApi.js"
