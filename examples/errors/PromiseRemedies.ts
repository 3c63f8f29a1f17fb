/**
 * The remedy of each error in a program without Effect. The functions that are passed in are yours.
 */
import {
  type Errors,
  IdempotencyKey,
  PaymentIntent,
  PaymentLink,
  type Payments,
  type Payouts,
  type Promises
} from "@manilla/promises"

type Tell = (message: string) => Promise<void>

// #region OutcomeUnknown
/** Runs again, later, until it succeeds: the same request and the same key continue one payment. */
export const continuePayment = async (
  { payments }: Promises.Promises,
  order: string,
  request: Payments.CollectRequest,
  repeatLater: (order: string) => Promise<void>
) => {
  const result = await payments.collect(request, { key: IdempotencyKey.derive("order", order) })
  if (result.ok) return result
  const { _tag } = result.error
  // Another failure, such as a refusal, is about this call: the earlier request may still have been applied.
  if (_tag !== "AppliedUnreadable" && _tag !== "KeyReused") await repeatLater(order)
  return result
}
// #endregion

// #region AppliedUnreadable
export const readApplied = async (
  { payments }: Promises.Promises,
  { correlationId, id }: Errors.AppliedUnreadable,
  tell: Tell
) =>
  id === undefined
    ? tell(`Ask the service's support about the request ${correlationId}`)
    : payments.awaitFinal(PaymentIntent.makeId(id))
// #endregion

// #region TokenUnavailableError
/** Errors of a token request that pass by themselves. */
const passing = ["TransportError", "TimeoutError", "RateLimitError", "ServerError"]

export const tokenFailed = ({ cause }: Errors.TokenUnavailableError, tell: Tell) =>
  cause !== undefined && passing.includes(cause._tag)
    ? tell("Try again later")
    : tell("Check the client id, the client secret and MANILLA_ENVIRONMENT")
// #endregion

// #region PaymentStillPending
export const waitForPayment = (
  { payments }: Promises.Promises,
  { id }: Payments.PaymentStillPending
) => payments.awaitFinal(id, { deadline: "1 hour" })
// #endregion

// #region PayoutStillPending
export const waitForPayout = (
  { payouts }: Promises.Promises,
  { reference }: Payouts.PayoutStillPending
) => payouts.awaitFinal(reference, { deadline: "1 hour" })
// #endregion

// #region ReadError
/** A read changes nothing, so it can be repeated. Its call has done so up to five times already. */
export const statusOrUnknown = async (
  { payments }: Promises.Promises,
  id: PaymentIntent.PaymentIntentId
) => {
  const read = await payments.get(id)
  return read.ok ? read.value.status : "not known now"
}
// #endregion

// #region UnkeyedAppliedUnreadable
export const readLink = async (
  { paymentLinks }: Promises.Promises,
  { correlationId, id }: Errors.UnkeyedAppliedUnreadable,
  tell: Tell
) =>
  id === undefined
    ? tell(`Ask the service's support about the request ${correlationId}`)
    : paymentLinks.get(PaymentLink.makeId(id))
// #endregion

// #region PageError
export const copy = async (
  { transactions }: Promises.Promises,
  store: (reference: string) => Promise<void>,
  pause: (page: number) => Promise<void>,
  from = 1
) => {
  for await (const row of transactions.stream({}, { from })) {
    if (row.ok) await store(row.value.reference)
    // Store the page, and start there the next time.
    else if (row.error._tag === "PageError") await pause(row.error.page)
  }
}
// #endregion
