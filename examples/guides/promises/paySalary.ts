import { Errors, IdempotencyKey, type Promises } from "@manilla/promises"
import { isOld, requestOf, type Salary } from "../Salary.js"

/** Called by a worker every minute, for each salary that is open. */
export const paySalary = async (
  { payouts }: Promises.Promises,
  salary: Salary,
  wallet_id: string
): Promise<string> => {
  if (isOld(salary, Date.now())) return "look at it: open for a day"
  const paid = await payouts.disburse(requestOf(salary, wallet_id), {
    key: IdempotencyKey.derive("salary", salary.month, salary.employee)
  })
  if (paid.ok)
    return paid.value.status === "COMPLETED" ? "paid" : `look at it: ${paid.value.status}`
  const { error } = paid
  // It is paid, or may be, so it stays open: the next call sends the same request with the same key, and follows it.
  if (error._tag === "OutcomeUnknown" || error._tag === "PayoutStillPending") return "open"
  // After an earlier call, no error shows that nothing was paid.
  if (salary.sentMillis !== undefined) {
    console.warn(salary.employee, error.message)
    return "open"
  }
  const word = Errors.outcome(error) === "notApplied" ? "not paid" : "look at it"
  return `${word}: ${error.message}`
}
