/**
 * Compares, for each employee, the requested amount with the payout and with the service's
 * transactions. Comparing totals only would miss two errors that cancel out.
 */
import type { Amount } from "@manilla/core"
import type { Payout } from "@manilla/payouts"
import { Reconcile, Transactions, type Transaction } from "@manilla/transactions"
import { Chunk, Effect, Stream } from "effect"
import * as Payroll from "./Payroll.js"
import type { Result } from "./Salaries.js"

export interface Reconciliation {
  readonly booked: ReadonlyArray<Amount.Amount>
  /** One line for each employee who was not paid exactly once, or not the requested amount. */
  readonly differences: ReadonlyArray<string>
}

/**
 * The payout transactions of this payroll. This assumes that a transaction carries the metadata of its
 * payout, which the interface does not show. Without it, every employee is reported as a difference.
 */
const bookings = (month: string) =>
  Effect.gen(function* () {
    const transactions = yield* Transactions.Transactions
    const rows = yield* transactions.stream({ per_page: 100, currency: Payroll.currency }).pipe(
      Stream.filter(({ operation }) => operation === "PAYOUT"),
      Stream.runCollect
    )
    // If rows are added while we read, a row may appear on two pages.
    const references = new Set(Chunk.map(rows, ({ reference }) => reference))
    const details = yield* Effect.forEach(references, (reference) => transactions.get(reference), {
      concurrency: 10
    })
    return details.filter(({ metadata }) => metadata?.["payroll"] === month)
  })

export const reconcile = (month: string, results: ReadonlyArray<Result>) =>
  Effect.map(bookings(month), (all): Reconciliation => {
    const why = new Map(
      results.flatMap((one) => (one.is === "paid" ? [] : [[one.employee.employee, one.why]]))
    )
    const { differences } = Reconcile.compare({
      asked: results.map(({ employee }) => ({
        key: employee.employee,
        amount: Payroll.requested(employee),
        currency: employee.currency
      })),
      resources: results.flatMap((result) =>
        result.is === "paid" ? [found(result.payout, result.employee.employee)] : []
      ),
      transactions: all.map((one) => found(one, one.metadata?.["employee"]))
    })
    return {
      booked: all.map(({ amount }) => amount),
      differences: differences.map((difference) => print(difference, why))
    }
  })

const found = (
  { amount, currency, reference, status }: Payout.Payout | Transaction.TransactionDetail,
  employee: unknown
): Reconcile.Found => ({
  key: typeof employee === "string" ? employee : undefined,
  id: reference,
  amount,
  currency,
  status
})

const print = (difference: Reconcile.Difference, why: ReadonlyMap<string, string>): string => {
  switch (difference.is) {
    case "askedTwice":
      return `${difference.key}: listed twice`
    case "missing":
      return `${difference.key}: not in the ${difference.in} (${why.get(difference.key) ?? "paid"})`
    case "repeated":
      return `${difference.key}: in the ${difference.in} as ${difference.ids.join(" and ")}`
    case "orphaned":
      return `${difference.found.id}: ${difference.found.amount} paid to somebody who is not in the file`
    case "amountDiffers":
    case "notCompleted": {
      const { asked, found } = difference
      return `${asked.key}: requested ${asked.amount}, in the ${difference.in}: ${found.amount} ${found.status}`
    }
  }
}
