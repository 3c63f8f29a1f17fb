/**
 * Holds what was asked against what was paid and what the service has booked, employee by employee:
 * two errors that cancel out in a sum are still two errors.
 */
import { Amount } from "@manilla/core"
import { Transactions, type Transaction } from "@manilla/transactions"
import { Chunk, Effect, Stream } from "effect"
import * as Payroll from "./Payroll.js"
import type { Outcome } from "./Salaries.js"

export interface Reconciliation {
  readonly booked: ReadonlyArray<Amount.Amount>
  /** Who was not paid exactly once and exactly what was asked. */
  readonly differences: ReadonlyArray<string>
}

/**
 * What was booked for this payroll: a transaction has the metadata of its payout. The interface does
 * not show that it has: where it has not, nobody counts as paid, and everybody is a difference.
 */
const bookings = (month: string) =>
  Effect.gen(function* () {
    const transactions = yield* Transactions.Transactions
    const rows = yield* transactions.stream({ per_page: 100, currency: Payroll.currency }).pipe(
      Stream.filter(({ operation }) => operation === "PAYOUT"),
      Stream.runCollect
    )
    // A page can repeat rows of the one before it, when others are added meanwhile.
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
          ({ amount, reference }) => `${reference}: ${amount} for nobody in the file`
        )
      ]
    }
  })

/** Nothing, when the employee was paid once what was asked, and that is in the books. */
const difference = (
  outcome: Outcome,
  booked: ReadonlyArray<Transaction.TransactionDetail>
): ReadonlyArray<string> => {
  const { employee } = outcome
  const isRight = (amount: Amount.Amount) => Amount.Equivalence(amount, Payroll.asked(employee))
  const isBooked =
    booked.length === 1 &&
    booked.every(({ amount, status }) => status === "COMPLETED" && isRight(amount))
  if (outcome.is === "paid" && isRight(outcome.payout.amount) && isBooked) return []
  const said = outcome.is === "paid" ? outcome.payout.amount : outcome.why
  const found = booked.map(({ amount, status }) => `${amount} ${status}`).join(" and ")
  return [
    `${employee.employee}: asked for ${employee.amount}, ${outcome.is} (${said}), booked ${found || "nothing"}`
  ]
}
