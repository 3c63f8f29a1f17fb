/**
 * Compares, for each employee, the requested amount with the payout and with the service's
 * transactions. Comparing totals only would miss two errors that cancel out.
 */
import { Amount } from "@manilla/core"
import { Transactions, type Transaction } from "@manilla/transactions"
import { Chunk, Effect, Stream } from "effect"
import * as Payroll from "./Payroll.js"
import type { Outcome } from "./Salaries.js"

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

export const reconcile = (month: string, outcomes: ReadonlyArray<Outcome>) =>
  Effect.map(bookings(month), (all): Reconciliation => {
    const of = (employee: string) =>
      all.filter(({ metadata }) => metadata?.["employee"] === employee)
    const known = new Set(outcomes.map(({ employee }) => employee.employee))
    const strangers = all.filter(({ metadata }) => !known.has(String(metadata?.["employee"])))
    return {
      booked: all.map(({ amount }) => amount),
      differences: [
        ...outcomes.flatMap((outcome) => difference(outcome, of(outcome.employee.employee))),
        ...strangers.map(
          ({ amount, reference }) =>
            `${reference}: ${amount} paid to somebody who is not in the file`
        )
      ]
    }
  })

/** Empty if the employee has one completed payout and one transaction, both of the requested amount. */
const difference = (
  outcome: Outcome,
  booked: ReadonlyArray<Transaction.TransactionDetail>
): ReadonlyArray<string> => {
  const { employee } = outcome
  const isRight = (amount: Amount.Amount) => Amount.Equivalence(amount, Payroll.requested(employee))
  const isBooked =
    booked.length === 1 &&
    booked.every(({ amount, status }) => status === "COMPLETED" && isRight(amount))
  if (outcome.is === "paid" && isRight(outcome.payout.amount) && isBooked) return []
  const said = outcome.is === "paid" ? outcome.payout.amount : outcome.why
  const found = booked.map(({ amount, status }) => `${amount} ${status}`).join(" and ")
  return [
    `${employee.employee}: requested ${employee.amount}, ${outcome.is} (${said}), transactions: ${found || "none"}`
  ]
}
