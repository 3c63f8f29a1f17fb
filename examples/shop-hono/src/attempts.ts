/**
 * The states of an attempt to pay, as pure functions. An attempt is one request to the payments service under
 * one idempotency key. An order has a new one only when the one before it is `Unpaid`, so at most one attempt
 * of an order can move money.
 */
import { Amount, Errors, type PaymentIntent } from "@manilla/promises"

/**
 * - `Starting`: the request is stored. It is sent, with the same key, until its outcome is known.
 * - `Pending`: the payment exists, and is read until its status is final.
 * - `Review`: a person decides.
 * - `Paid`, and `Unpaid`: no money was or will be moved, so the buyer may try again.
 */
export type State = "Starting" | "Pending" | "Review" | "Paid" | "Unpaid"

export interface Attempt {
  readonly key: string
  readonly order_id: string
  readonly number: number
  readonly request: PaymentIntent.PaymentIntentRequest
  readonly state: State
  /** How often the request was sent, or may have been. Counted before it is sent. */
  readonly sends: number
  readonly payment_id: string | null
  /** The tag of the last error, or the last status. */
  readonly reason: string | null
  /** Milliseconds. */
  readonly created_at: number
  readonly due_at: number
}

export type Change = Pick<Attempt, "state" | "payment_id" | "reason">

/** Shorter than a day, for which services usually know a key: a request takes time. */
const longestMillis = 23 * 60 * 60 * 1000

/** The service may not know a key for ever, and then a late request pays again. So a person decides. */
export const isTooOld = ({ created_at }: Attempt, now: number) => now - created_at > longestMillis

/** The pause before the next request: a quarter of the attempt's age, from 1 second to 5 minutes. */
export const pauseOf = ({ created_at }: Attempt, now: number) =>
  Math.min(Math.max(Math.floor((now - created_at) / 4), 1000), 300_000)

const isUuid = (id = "") => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)

/** The change of the order after an error of the creation. */
export const afterError = (attempt: Attempt, error: Errors.KeyedWriteError): Change => {
  const reason = error._tag
  const change = (state: State, payment_id = attempt.payment_id) => ({ state, payment_id, reason })
  const isFirst = attempt.sends === 1
  switch (error._tag) {
    case "AppliedUnreadable":
      return isUuid(error.id) ? change("Pending", error.id) : change("Review")
    case "KeyReused":
      return change("Review")
    case "InvalidRequestError":
    case "UnprocessableError":
    case "BadRequestError":
      // A refusal of this request says nothing about an earlier one, which may have been applied.
      return change(isFirst ? "Unpaid" : "Review")
    default:
      // The connection, the limit or the credentials are the problem: the same request can succeed later.
      return change(isFirst && Errors.outcome(error) === "notApplied" ? "Unpaid" : "Starting")
  }
}

/** The change of the order after its payment was read. */
export const afterRead = (
  { request }: Attempt,
  { amount, currency, id, status }: PaymentIntent.PaymentIntent,
  unpaidStatuses: ReadonlySet<string>
): Change => {
  const change = (state: State): Change => ({ state, payment_id: id, reason: status })
  const isAsked = Amount.Equivalence(Amount.make(request.amount), amount)
  if (!isAsked || currency !== request.currency) return change("Review")
  if (status === "PENDING") return change("Pending")
  if (status === "COMPLETED") return change("Paid")
  return change(unpaidStatuses.has(status) ? "Unpaid" : "Review")
}
