import { IdempotencyKey, type Promises } from "@manilla/promises"
import { isOld, requestOf, type Salary, stateAfter } from "../Salary.js"

/** Called for each salary that is open. `markSent` stores `sentMillis`. */
export const paySalary = async (
  { payouts }: Promises.Promises,
  salary: Salary,
  wallet_id: string,
  markSent: () => Promise<void>
): Promise<string> => {
  if (isOld(salary, Date.now())) return "look at it: open for a day"
  const isFirst = salary.sentMillis === undefined
  // Before the request: if the process dies now, the next call is not the first one.
  if (isFirst) await markSent()
  const paid = await payouts.disburse(requestOf(salary, wallet_id), {
    key: IdempotencyKey.derive("salary", salary.month, salary.employee)
  })
  if (!paid.ok) return stateAfter(paid.error, isFirst)
  return paid.value.status === "COMPLETED" ? "paid" : `look at it: ${paid.value.status}`
}
