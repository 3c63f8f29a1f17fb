export * as Reconcile from "./Reconcile.js"
export * as Transaction from "./Transaction.js"
export * as Transactions from "./Transactions.js"
export * as TransactionsApi from "./TransactionsApi.js"
