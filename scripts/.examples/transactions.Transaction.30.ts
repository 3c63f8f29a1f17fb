import * as Transaction from "@manilla/transactions/Transaction"

const suspicious = (transactions: ReadonlyArray<Transaction.Transaction>) =>
  transactions.filter((transaction) => !Transaction.isNetExact(transaction))
