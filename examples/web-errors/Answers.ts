/**
 * The answers of a shop to its buyer, and the answer to each error of a payment. An answer tells the
 * buyer in plain words what to do, and nothing about the inside of the shop.
 */
import { HttpApiSchema } from "@effect/platform"
import { Errors, RetryPolicy } from "@manilla/core"
import type { Payments } from "@manilla/payments"
import { Match, Schema } from "effect"

const fields = { message: Schema.String }

/**
 * Neither a failure nor a success yet, so no error status: after a 503 the buyer may pay in another way,
 * and a program may count the order as unpaid. A real shop follows the payment and tells the buyer the result. */
export class BeingVerified extends Schema.TaggedError<BeingVerified>()(
  "BeingVerified",
  fields,
  HttpApiSchema.annotations({ status: 202 })
) {}

export class OrderConflict extends Schema.TaggedError<OrderConflict>()(
  "OrderConflict",
  fields,
  HttpApiSchema.annotations({ status: 409 })
) {}

export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()(
  "PaymentRefused",
  fields,
  HttpApiSchema.annotations({ status: 422 })
) {}

export class OutOfService extends Schema.TaggedError<OutOfService>()(
  "OutOfService",
  fields,
  HttpApiSchema.annotations({ status: 500 })
) {}

export class TryAgainLater extends Schema.TaggedError<TryAgainLater>()(
  "TryAgainLater",
  { ...fields, retryAfterSeconds: Schema.Int },
  HttpApiSchema.annotations({ status: 503 })
) {}

export const Answer = Schema.Union(
  BeingVerified,
  OrderConflict,
  PaymentRefused,
  OutOfService,
  TryAgainLater
)
export type Answer = typeof Answer.Type

/** All errors of `collect`. Those of `create` are the same without `PaymentStillPending`. */
export type PaymentError = Errors.KeyedWriteError | Payments.PaymentStillPending

/**
 * Never "you were not charged": an outcome is that of one request. If the key was used before, the
 * earlier request may have charged the buyer, and a refusal of this one does not show it.
 */
const moneyText: Record<Errors.Outcome, string> = {
  applied: "Your payment has started.",
  notApplied: "This request started no payment. If you tried before, check that payment first.",
  unknown: "We are verifying your payment."
}

const retryAfterSeconds = 30

/** An error without an entry here does not compile. */
export const answerTo = (error: PaymentError): Answer => {
  const say = (advice: string) => ({ message: `${moneyText[Errors.outcome(error)]} ${advice}` })
  const outOfService = () => new OutOfService(say("Please contact us."))
  const refused = () => new PaymentRefused(say("Otherwise, check your phone number and try again."))
  const verified = () => new BeingVerified(say("Do not pay again. We will tell you the result."))
  const later = (seconds = retryAfterSeconds) =>
    new TryAgainLater({ ...say("Otherwise, try again later."), retryAfterSeconds: seconds })

  return Match.valueTags(error, {
    // The buyer enters the payer's details only. Any other invalid field is a mistake of the shop.
    InvalidRequestError: ({ issues }) =>
      issues.every(({ field }) => field.startsWith("payer.")) ? refused() : outOfService(),
    UnprocessableError: refused,

    OutcomeUnknown: verified,
    AppliedUnreadable: verified,
    PaymentStillPending: () => new BeingVerified(say("Confirm it on your phone.")),
    KeyReused: () => new OrderConflict(say("Please contact us.")),

    TransportError: () => later(),
    RateLimitError: ({ retryAfterMillis }) =>
      later(retryAfterMillis === undefined ? undefined : Math.ceil(retryAfterMillis / 1000)),
    // Temporary if the token request may succeed later, permanent if the credentials are refused.
    TokenUnavailableError: (it) => (RetryPolicy.isPassing(it) ? later() : outOfService()),

    // The buyer cannot help: the credentials, their scopes or the shop's own code are wrong.
    UnauthorizedError: outOfService,
    ForbiddenError: outOfService,
    BadRequestError: outOfService,
    NotFoundError: outOfService
  })
}
