/**
 * The state machine of an attempt to pay: pure functions, no I/O.
 *
 * An attempt is one request to the payments service under one idempotency key. An order has a new one only
 * when the one before it is `Unpaid`, so at most one attempt of an order can move money.
 */
import { Amount, Errors, IdempotencyKey } from "@manilla/core"
import { PaymentIntent } from "@manilla/payments"
import { Either, Match, Schema } from "effect"

/**
 * - `Starting`: the request is stored. It is sent, with the same key, until its outcome is known.
 * - `Pending`: the payment exists, and is read until its status is final.
 * - `Review`: a person decides. Nothing is sent or read.
 * - `Paid`, and `Unpaid`: no money was or will be moved, so the buyer may try again.
 */
export const State = Schema.Literal("Starting", "Pending", "Review", "Paid", "Unpaid")
export type State = typeof State.Type

export const open: ReadonlyArray<State> = ["Starting", "Pending"]

export const Attempt = Schema.Struct({
  order_id: Schema.String,
  /** 1, 2, … within the order. */
  number: Schema.Number,
  key: IdempotencyKey.IdempotencyKey,
  request: Schema.parseJson(PaymentIntent.PaymentIntentRequest),
  state: State,
  /** How often the request was sent, or may have been. Counted before it is sent. */
  sends: Schema.Number,
  payment_id: Schema.NullOr(PaymentIntent.PaymentIntentId),
  /** The tag of the last error, or the last status: for the sentence to the buyer. */
  reason: Schema.NullOr(Schema.String),
  /** For the person who decides. */
  note: Schema.NullOr(Schema.String),
  /** Milliseconds. A person's `again` makes a payment new: it is read for another day. */
  created_at: Schema.Number,
  due_at: Schema.Number
})
export interface Attempt extends Schema.Schema.Type<typeof Attempt> {}

export type Change = Pick<Attempt, "state" | "payment_id" | "reason" | "note">

/** The same order and number always give the same key, also after a crash. */
export const keyOf = (order: string, number: number): IdempotencyKey.IdempotencyKey =>
  IdempotencyKey.derive("shop", order, String(number))

/** A new attempt, to be stored. */
export const make = (
  order_id: string,
  number: number,
  request: PaymentIntent.PaymentIntentRequest,
  now: number
): Attempt => ({
  order_id,
  number,
  key: keyOf(order_id, number),
  request,
  state: "Starting",
  sends: 0,
  payment_id: null,
  reason: null,
  note: null,
  created_at: now,
  due_at: now
})

/** Shorter than a day, for which services usually know a key: a request takes time. */
const longestMillis = 23 * 60 * 60 * 1000

/** The service may not know a key for ever, and then a late request pays again. So a person decides. */
export const isTooOld = ({ created_at }: Attempt, now: number): boolean =>
  now - created_at > longestMillis

export const tooOld = (change: Change): Change => ({
  ...change,
  state: "Review",
  note: `No final result after 23 hours. The last one was ${change.reason ?? "none"}.`
})

/** The pause before the next request for an attempt: a quarter of its age, from 1 second to 5 minutes. */
export const pauseOf = ({ created_at }: Attempt, now: number): number =>
  Math.min(Math.max(Math.floor((now - created_at) / 4), 1000), 300_000)

export const afterCreation = ({ id, status }: PaymentIntent.PaymentIntent): Change => ({
  state: "Pending",
  payment_id: id,
  reason: status,
  note: null
})

/** Each error of the creation, and what it means for the order. An error without an entry does not compile. */
export const afterError = (attempt: Attempt, error: Errors.KeyedWriteError): Change => {
  const change = (state: State, note = error.message): Change => ({
    state,
    payment_id: attempt.payment_id,
    reason: error._tag,
    note
  })
  // An error is about one call. If an earlier one may have been applied, a refusal of this one tells
  // nothing about it.
  const isFirst = attempt.sends === 1
  /** The service refused this request. */
  const refused = () => change(isFirst ? "Unpaid" : "Review")
  /** The same request can succeed later: the connection, the limit or the credentials are the problem. */
  const passing = () =>
    change(isFirst && Errors.outcome(error) === "notApplied" ? "Unpaid" : "Starting")

  return Match.valueTags(error, {
    OutcomeUnknown: passing,
    AppliedUnreadable: ({ id }) =>
      Either.match(Schema.decodeUnknownEither(PaymentIntent.PaymentIntentId)(id), {
        onLeft: () => change("Review"),
        onRight: (payment_id) => ({ ...change("Pending"), payment_id })
      }),
    KeyReused: () => change("Review"),

    InvalidRequestError: refused,
    UnprocessableError: refused,
    BadRequestError: refused,

    TransportError: passing,
    RateLimitError: passing,
    TokenUnavailableError: passing,
    UnauthorizedError: passing,
    ForbiddenError: passing,
    NotFoundError: passing
  })
}

/** The statuses after which a payment cannot succeed any more. See `Settings.unpaidStatuses`. */
export type UnpaidStatuses = ReadonlySet<string>

export const afterRead = (
  attempt: Attempt,
  payment: PaymentIntent.PaymentIntent,
  unpaid: UnpaidStatuses
): Change => {
  const change = (state: State, note: string | null = null): Change => ({
    state,
    payment_id: payment.id,
    reason: payment.status,
    note
  })
  const { amount, currency } = attempt.request
  const isAsked = isSameAmount(amount, payment.amount) && currency === payment.currency
  if (!isAsked) return change("Review", `The payment is of ${payment.amount} ${payment.currency}.`)
  if (payment.status === "PENDING") return change("Pending")
  if (payment.status === "COMPLETED") return change("Paid")
  return unpaid.has(payment.status)
    ? change("Unpaid")
    : change("Review", `The shop does not know the status ${payment.status}.`)
}

const isSameAmount = (asked: string, paid: Amount.Amount): boolean =>
  Schema.is(Amount.Amount)(asked) && Amount.Equivalence(asked, paid)
