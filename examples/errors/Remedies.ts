/**
 * The remedy of each error. The functions that are passed in are yours.
 */
import { type Errors, IdempotencyKey, RetryPolicy } from "@manilla/core"
import { PaymentLink, PaymentLinks } from "@manilla/payment-links"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Payouts } from "@manilla/payouts"
import { Transactions } from "@manilla/transactions"
import { Effect, Stream } from "effect"

type Tell = (message: string) => Effect.Effect<void>

// #region OutcomeUnknown
/** Runs again, later, until it succeeds: the same request and the same key continue one payment. */
export const continuePayment = (
  order: string,
  request: Payments.CollectRequest,
  repeatLater: (order: string) => Effect.Effect<void>
) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.collect(request, { key: IdempotencyKey.derive("order", order) })
  ).pipe(
    // Another failure, such as a refusal, is about this call: the earlier request may still have been applied.
    Effect.catchIf(
      ({ _tag }) => _tag !== "AppliedUnreadable" && _tag !== "KeyReused",
      () => repeatLater(order)
    )
  )
// #endregion

// #region AppliedUnreadable
export const readApplied = ({ correlationId, id }: Errors.AppliedUnreadable, tell: Tell) =>
  id === undefined
    ? tell(`Ask the service's support about the request ${correlationId}`)
    : Effect.flatMap(Payments.Payments, ({ awaitFinal }) => awaitFinal(PaymentIntent.makeId(id)))
// #endregion

// #region KeyReused
export const askAPerson = ({ differs, id, key, reference }: Errors.KeyReused, tell: Tell) =>
  tell(`${key} belongs to ${id ?? reference}, which differs in ${differs.join(", ")}`)
// #endregion

// #region UnprocessableError
export const refused = (error: Errors.UnprocessableError, wasSentBefore: boolean, tell: Tell) =>
  wasSentBefore
    ? tell("The earlier request may have been applied: look at it before you use another key")
    : tell(`${error.code}: ${error.serviceMessage} ${JSON.stringify(error.details)}`)
// #endregion

// #region InvalidRequestError
export const explain = ({ issues }: Errors.InvalidRequestError) =>
  issues.map(({ field, rule }) => `${field} ${rule}`)
// #endregion

// #region TokenUnavailableError
export const tokenFailed = (error: Errors.TokenUnavailableError, tell: Tell) =>
  RetryPolicy.isPassing(error)
    ? tell("Try again later")
    : tell("Check the client id, the client secret and MANILLA_ENVIRONMENT")
// #endregion

// #region ForbiddenError
export const missingScope = ({ grantedScopes, requiredScope }: Errors.ForbiddenError) =>
  requiredScope !== undefined && !grantedScopes.includes(requiredScope) ? requiredScope : undefined
// #endregion

// #region RateLimitError
export const pauseOf = ({ retryAfterMillis = 30_000 }: Errors.RateLimitError) => retryAfterMillis
// #endregion

// #region UnkeyedAppliedUnreadable
export const readLink = ({ correlationId, id }: Errors.UnkeyedAppliedUnreadable, tell: Tell) =>
  id === undefined
    ? tell(`Ask the service's support about the request ${correlationId}`)
    : Effect.flatMap(PaymentLinks.PaymentLinks, ({ get }) => get(PaymentLink.makeId(id)))
// #endregion

// #region PaymentStillPending
export const waitForPayment = ({ id }: Payments.PaymentStillPending) =>
  Effect.flatMap(Payments.Payments, ({ awaitFinal }) => awaitFinal(id, { deadline: "1 hour" }))
// #endregion

// #region PayoutStillPending
export const waitForPayout = ({ reference }: Payouts.PayoutStillPending) =>
  Effect.flatMap(Payouts.Payouts, ({ awaitFinal }) => awaitFinal(reference, { deadline: "1 hour" }))
// #endregion

// #region PageError
export const copy = (
  store: (reference: string) => Effect.Effect<void>,
  pause: (page: number) => Effect.Effect<void>,
  from = 1
) =>
  Effect.flatMap(
    Transactions.Transactions,
    (transactions) =>
      transactions.stream({}, { from }).pipe(Stream.runForEach(({ reference }) => store(reference)))
    // Store the page, and start there the next time.
  ).pipe(Effect.catchTag("PageError", ({ page }) => pause(page)))
// #endregion

// #region ReadError
/** A read changes nothing, so it can be repeated. Its call has done so up to five times already. */
export const statusOrUnknown = (id: PaymentIntent.PaymentIntentId) =>
  Effect.flatMap(Payments.Payments, ({ get }) => get(id)).pipe(
    Effect.map(({ status }) => status),
    Effect.catchAll((error) => Effect.as(Effect.logWarning(error.message), "not known now"))
  )
// #endregion
