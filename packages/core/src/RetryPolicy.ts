/**
 * When a call is sent again: the rule as a table, and its numbers as data.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Errors from "./Errors.js"
import type * as Operation from "./Operation.js"

/**
 * Everything that can come of one attempt other than a readable success.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault = keyof typeof table

/**
 * What to do next: `retry` after a back-off, `renew` the token and try once more, or `stop`.
 *
 * @since 0.1.0
 * @category models
 */
export type Decision = "retry" | "renew" | "stop"

/**
 * @since 0.1.0
 * @category models
 */
export interface Rule extends Readonly<Record<Operation.Replay["_tag"], Decision>> {
  readonly outcome: Errors.Outcome
}

const rule = (outcome: Errors.Outcome, Safe: Decision, Keyed: Decision, Once: Decision): Rule => ({
  outcome,
  Safe,
  Keyed,
  Once
})

/**
 * The truth table. The interface promises 401, 403 and 422 only (section 7); the other statuses
 * are read by HTTP's own meaning, and where that leaves a doubt the outcome is `unknown`.
 *
 * @since 0.1.0
 * @category rules
 */
export const table = {
  /** The input breaks a rule of the interface: nothing was sent. */
  InvalidRequestError: rule("notApplied", "stop", "stop", "stop"),
  /** No token to send with; the token's own call has been retried already. */
  TokenUnavailableError: rule("notApplied", "stop", "stop", "stop"),
  /** 401: the token was refused before the request was processed. */
  UnauthorizedError: rule("notApplied", "renew", "renew", "renew"),
  /** 403 */
  ForbiddenError: rule("notApplied", "stop", "stop", "stop"),
  /** 422 */
  UnprocessableError: rule("notApplied", "stop", "stop", "stop"),
  /** 400 */
  BadRequestError: rule("notApplied", "stop", "stop", "stop"),
  /** 404 */
  NotFoundError: rule("notApplied", "stop", "stop", "stop"),
  /** 408: the service gave up waiting for a request that it may have seen in part or in whole. */
  RequestTimeout: rule("unknown", "retry", "retry", "stop"),
  /** 409: perhaps the same key at work elsewhere, perhaps applied before. */
  ConflictError: rule("unknown", "stop", "stop", "stop"),
  /** 429: refused before it was processed. */
  RateLimitError: rule("notApplied", "retry", "retry", "stop"),
  /** 5xx */
  ServerError: rule("unknown", "retry", "retry", "stop"),
  /** Any other status, redirects among them. */
  UnexpectedStatusError: rule("unknown", "stop", "stop", "stop"),
  /** No connection came about: no byte of the request left. */
  NotSent: rule("notApplied", "retry", "retry", "retry"),
  /** The connection broke after the request may have left. */
  ConnectionLost: rule("unknown", "retry", "retry", "stop"),
  /** The attempt's time ran out. */
  TimeoutError: rule("unknown", "retry", "retry", "stop"),
  /** Unrecognisable or mismatched response. */
  NotAnEnvelope: rule("unknown", "retry", "retry", "stop"),
  /** The body is longer than the gateway reads; it would be again. */
  TooLarge: rule("unknown", "stop", "stop", "stop"),
  /** Success around data that does not fit its schema, and is not `Unrelated`. */
  UnreadableSuccess: rule("applied", "stop", "stop", "stop")
} as const satisfies Record<string, Rule>

/**
 * The fault of a status that is not a success.
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
 * The fault of an answer that cannot be read.
 *
 * @since 0.1.0
 * @category rules
 */
export const faultOfReason = (reason: Errors.MalformedReason): Fault =>
  reason === "DataMisfit"
    ? "UnreadableSuccess"
    : reason === "TooLarge"
      ? "TooLarge"
      : "NotAnEnvelope"

/**
 * The fault that an error stands for.
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
 * Whether the same read may well succeed later.
 *
 * @since 0.1.0
 * @category rules
 */
export const isPassing = (error: Errors.ReadError): boolean =>
  error._tag === "TokenUnavailableError"
    ? error.cause !== undefined && isPassing(error.cause)
    : table[faultOf(error)].Safe === "retry"

/**
 * What to do after a fault, by the replay class of the operation.
 *
 * @since 0.1.0
 * @category rules
 */
export const decide = (fault: Fault, replay: Operation.Replay): Decision =>
  table[fault][replay._tag]

/**
 * The numbers of the retry loop.
 *
 * @since 0.1.0
 * @category models
 */
export interface RetryPolicy {
  /** The most attempts of one call, the first included. The one after a renewed token is extra. */
  readonly attempts: number
  /** The back-off before attempt n + 1 is drawn between zero and `base * 2^(n-1)`. */
  readonly base: Duration.DurationInput
  /** No back-off is drawn from above this. */
  readonly cap: Duration.DurationInput
  /** How long one attempt may take, its body included. */
  readonly attemptTimeout: Duration.DurationInput
  /**
   * How long a call may take with everything in it: token, attempts and waits. A write is not begun
   * when less is left than a tenth of an attempt's time, or of this if it is shorter.
   */
  readonly deadline: Duration.DurationInput
  /**
   * How many retries a gateway may make at once, for reads and for writes each. It refills within 10
   * seconds, and each success gives 0.1 back. A retry that finds the budget empty waits for its turn;
   * a call whose turn would come after its deadline ends, and its error says so. Keeps a service that
   * is down from being stormed.
   */
  readonly budget: number
}

/**
 * 5 attempts within 3 minutes, 30 seconds each, back-off from a quarter of a second up to 10.
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
 * How many milliseconds to wait after the failed attempt `attempt` (from 1), for a chance in
 * [0, 1): full jitter, or what the service asked for in `Retry-After` if that is longer, spread
 * by up to `base` so that its callers do not come back as one.
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
