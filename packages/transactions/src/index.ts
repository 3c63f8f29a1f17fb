/**
 * Transactions: completed money movements with their fee and net amount (interface section 2.3).
 *
 * @since 0.1.0
 */
export * as Transaction from "./Transaction.js"

/**
 * Lists, streams and reads transactions.
 *
 * @since 0.1.0
 */
export * as Transactions from "./Transactions.js"

/**
 * The wire format of the transaction operations (interface sections 4.3 and 4.4).
 *
 * @since 0.1.0
 */
export * as TransactionsApi from "./TransactionsApi.js"
