/**
 * The retry policy: the rule for each fault, and the limits of the retry loop.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Errors from "./Errors.js"

/**
 * The replay class of an operation: whether it may be retried.
 *
 * @since 0.1.0
 * @category models
 */
export type Replay = Safe | Keyed | Once

/**
 * An operation without effect, which is always safe to retry.
 *
 * @since 0.1.0
 * @category models
 */
export interface Safe {
  readonly _tag: "Safe"
}

/**
 * A write that is applied once per idempotency key: retry it with the same key and bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Keyed {
  readonly _tag: "Keyed"
  /** The part of the request that carries the key. */
  readonly in: "header" | "body"
  /** The header, in lower case, or the field of the body. */
  readonly name: string
}

/**
 * A write without a key: never retry it after the service may have processed it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Once {
  readonly _tag: "Once"
}

/**
 * The reason why an attempt failed. Most faults have the name of their error.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault = keyof typeof table

/**
 * The next step: `retry` after a back-off, `renew` the token and retry once, or `stop`.
 *
 * @since 0.1.0
 * @category models
 */
export type Decision = "retry" | "renew" | "stop"

/**
 * The outcome after a fault, and the next step for each replay class.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rule extends Readonly<Record<Replay["_tag"], Decision>> {
  readonly outcome: Errors.Outcome
}

/** `error` is that of a write which ends after the fault. It says the outcome. */
const rule = (
  error: keyof typeof Errors.outcomes,
  Safe: Decision,
  Keyed: Decision,
  Once: Decision
): Rule => ({
  outcome: Errors.outcomes[error],
  Safe,
  Keyed,
  Once
})

/**
 * The rule of each fault. The interface defines 401, 403 and 422 only. Other statuses have
 * their HTTP meaning; where HTTP leaves the outcome open, it is `unknown`.
 *
 * @since 0.1.0
 * @category rules
 */
export const table = {
  /** The input breaks a rule of the interface: nothing was sent. */
  InvalidRequestError: rule("InvalidRequestError", "stop", "stop", "stop"),
  /** No token was obtained: the token request has its own retries. */
  TokenUnavailableError: rule("TokenUnavailableError", "stop", "stop", "stop"),
  /** 401: the token was rejected before the request was processed. */
  UnauthorizedError: rule("UnauthorizedError", "renew", "renew", "renew"),
  /** 403 */
  ForbiddenError: rule("ForbiddenError", "stop", "stop", "stop"),
  /** 422 */
  UnprocessableError: rule("UnprocessableError", "stop", "stop", "stop"),
  /** 400 */
  BadRequestError: rule("BadRequestError", "stop", "stop", "stop"),
  /** 404 */
  NotFoundError: rule("NotFoundError", "stop", "stop", "stop"),
  /** 408: the service stopped waiting for the request, and may have received all of it. */
  RequestTimeout: rule("OutcomeUnknown", "retry", "retry", "stop"),
  /** 409: a concurrent request with the same key, or a request that was applied before. */
  ConflictError: rule("OutcomeUnknown", "stop", "stop", "stop"),
  /** 429: rejected before the request was processed. */
  RateLimitError: rule("RateLimitError", "retry", "retry", "stop"),
  /** 5xx */
  ServerError: rule("OutcomeUnknown", "retry", "retry", "stop"),
  /** Any other status, redirects included. */
  UnexpectedStatusError: rule("OutcomeUnknown", "stop", "stop", "stop"),
  /** No connection was established: no byte of the request was sent. */
  NotSent: rule("TransportError", "retry", "retry", "retry"),
  /** The connection was lost after the request may have been sent. */
  ConnectionLost: rule("OutcomeUnknown", "retry", "retry", "stop"),
  /** The attempt timed out. */
  TimeoutError: rule("OutcomeUnknown", "retry", "retry", "stop"),
  /** Unrecognisable or mismatched response. */
  UnreadableResponse: rule("OutcomeUnknown", "retry", "retry", "stop"),
  /** The body exceeds the gateway's limit; a retry would have the same result. */
  TooLarge: rule("OutcomeUnknown", "stop", "stop", "stop"),
  /** Success with data that does not match its schema (`DataMisfit`). */
  UnreadableSuccess: rule("AppliedUnreadable", "stop", "stop", "stop")
} as const satisfies Record<string, Rule>

/**
 * Returns the fault of a status other than 2xx.
 *
 * @since 0.1.0
 * @category rules
 */
export const faultOfStatus = (status: number): Fault =>
  statuses[status] ?? (status >= 500 && status < 600 ? "ServerError" : "UnexpectedStatusError")

const statuses: Readonly<Record<number, Fault>> = {
  [Errors.BadRequestError.status]: "BadRequestError",
  [Errors.UnauthorizedError.status]: "UnauthorizedError",
  [Errors.ForbiddenError.status]: "ForbiddenError",
  [Errors.NotFoundError.status]: "NotFoundError",
  408: "RequestTimeout",
  [Errors.ConflictError.status]: "ConflictError",
  [Errors.UnprocessableError.status]: "UnprocessableError",
  [Errors.RateLimitError.status]: "RateLimitError"
}

/**
 * Returns the fault of a response that cannot be read.
 *
 * @since 0.1.0
 * @category rules
 */
export const faultOfReason = (reason: Errors.MalformedReason): Fault =>
  reason === "DataMisfit"
    ? "UnreadableSuccess"
    : reason === "TooLarge"
      ? "TooLarge"
      : "UnreadableResponse"

/**
 * Returns the fault that an error reports.
 *
 * @since 0.1.0
 * @category rules
 */
export const faultOf = (error: Errors.ReadError): Fault => {
  switch (error._tag) {
    case "TransportError":
      return error.sent ? "ConnectionLost" : "NotSent"
    case "UnexpectedStatusError":
      return faultOfStatus(error.status)
    case "MalformedResponseError":
      return faultOfReason(error.reason)
    default:
      return error._tag
  }
}

/**
 * Returns `true` if a read that failed with this error may succeed later.
 *
 * @since 0.1.0
 * @category rules
 */
export const isPassing = (error: Errors.ReadError): boolean =>
  error._tag === "TokenUnavailableError"
    ? error.cause !== undefined && isPassing(error.cause)
    : table[faultOf(error)].Safe === "retry"

/**
 * The limits of the retry loop.
 *
 * @since 0.1.0
 * @category models
 */
export interface RetryPolicy {
  /** The maximum number of attempts, the first included. The attempt after a renewed token is extra. */
  readonly attempts: number
  /** The back-off before attempt n + 1 is random, between 0 and `base * 2^(n-1)`. */
  readonly base: Duration.DurationInput
  /** The maximum back-off. A longer `Retry-After` is honoured. */
  readonly cap: Duration.DurationInput
  /** The timeout of one attempt, including its response body. */
  readonly attemptTimeout: Duration.DurationInput
  /**
   * The maximum duration of a call, including its token, attempts and back-offs. No attempt of a write
   * starts in the last tenth of `attemptTimeout`, or of `deadline` if that is shorter.
   */
  readonly deadline: Duration.DurationInput
  /**
   * The number of retries that a gateway may make at once, for reads and for writes separately. An
   * empty budget is full again after 10 seconds; each success adds a tenth of a retry. While the budget
   * is empty, retries wait; a call whose retry would wait beyond its deadline fails. Protects a failing
   * service.
   */
  readonly budget: number
}

/**
 * 5 attempts of up to 30 seconds, back-off from 250 milliseconds to 10 seconds, deadline 3 minutes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults: RetryPolicy = {
  attempts: 5,
  base: "250 millis",
  cap: "10 seconds",
  attemptTimeout: "30 seconds",
  deadline: "3 minutes",
  budget: 100
}

/**
 * Returns the pause after attempt `attempt` (from 1), in milliseconds, for a random number `chance` in
 * [0, 1). A `Retry-After` of the service replaces a shorter pause. Up to `base` is then added at
 * random, so that callers do not all return at the same moment.
 *
 * @since 0.1.0
 * @category rules
 */
export const backoff = (
  policy: RetryPolicy,
  attempt: number,
  chance: number,
  retryAfterMillis: number | undefined
): number => {
  const base = Duration.toMillis(policy.base)
  const ceiling = Math.min(Duration.toMillis(policy.cap), base * 2 ** Math.min(attempt - 1, 1000))
  const jittered = chance * ceiling
  return Math.ceil(
    retryAfterMillis === undefined ? jittered : Math.max(jittered, retryAfterMillis + chance * base)
  )
}
