/**
 * Tagged errors of calls. A write that fails with an error whose name ends in `Error` was not applied.
 * After any other error it was, or may have been: {@link outcome} tells which.
 *
 * Errors contain no request paths, request bodies, headers or tokens. Strings from the service are
 * redacted, escaped and truncated.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { IdempotencyKey } from "./IdempotencyKey.js"

/** Fields of every error. */
const common = {
  /** The operation, such as `Payments.create`. */
  operation: Schema.String,
  /** A human-readable description of the failure, with advice. */
  message: Schema.String
}

/** The fields of `data.error` in the response. */
const serviceError = {
  /** `error.code`. The interface does not list its values. */
  code: Schema.optional(Schema.String),
  /** The service's own message, `error.message`. */
  serviceMessage: Schema.optional(Schema.String),
  /** `error.details`: an object or an array. The interface does not define its members. */
  details: Schema.optional(Schema.Unknown)
}

/** Fields of a response with an error status. */
const errorResponse = {
  ...common,
  status: Schema.Number,
  ...serviceError,
  correlationId: Schema.optional(Schema.String)
}

const retryAfterResponse = {
  ...errorResponse,
  /** The delay that the service requested in `Retry-After`, in milliseconds. */
  retryAfterMillis: Schema.optional(Schema.Number)
}

/** The resource in a response. */
const found = {
  /** Its id, if the response has one. */
  id: Schema.optional(Schema.String),
  /** Its reference, if the response has one. */
  reference: Schema.optional(Schema.String)
}

/**
 * An invalid field and the rule that it breaks.
 *
 * @since 0.1.0
 * @category models
 */
export const Issue = Schema.Struct({
  /** The path of the field, such as `payer.phone_number`. */
  field: Schema.String,
  /** The rule, such as `must be a string of at most 32 characters`. Never contains the value. */
  rule: Schema.String
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Issue extends Schema.Schema.Type<typeof Issue> {}

/**
 * The input breaks rules of the interface. Nothing was sent. `issues` lists every invalid field.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRequestError extends Schema.TaggedError<InvalidRequestError>()(
  "InvalidRequestError",
  { ...common, issues: Schema.Array(Issue) }
) {}

/**
 * 401: the service rejected the token, and also the renewed token if there was time to renew it.
 * This request was not applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnauthorizedError extends Schema.TaggedError<UnauthorizedError>()(
  "UnauthorizedError",
  errorResponse
) {
  static readonly status = 401
}

/**
 * 403: insufficient scope, or the account's state does not permit the operation. This request was not
 * applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class ForbiddenError extends Schema.TaggedError<ForbiddenError>()("ForbiddenError", {
  ...errorResponse,
  /** The scope that the operation requires, if the interface states it. */
  requiredScope: Schema.optional(Schema.String),
  /** The scopes of the token. */
  grantedScopes: Schema.Array(Schema.String)
}) {
  static readonly status = 403
}

/**
 * 422: the payload is invalid or breaks a business rule. This request was not applied. If its key was
 * used before, look at the earlier request: the service may refuse the key, although that one was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnprocessableError extends Schema.TaggedError<UnprocessableError>()(
  "UnprocessableError",
  errorResponse
) {
  static readonly status = 422
}

/**
 * 400: the service did not accept the form of the request, which was not applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadRequestError extends Schema.TaggedError<BadRequestError>()(
  "BadRequestError",
  errorResponse
) {
  static readonly status = 400
}

/**
 * 404: the resource does not exist, or the base URL is wrong: it must end with the version segment.
 * This request was not applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFoundError extends Schema.TaggedError<NotFoundError>()(
  "NotFoundError",
  errorResponse
) {
  static readonly status = 404
}

/**
 * 409: the request conflicts with another one, such as a concurrent request with the same key. For a
 * write, this is the `cause` of an unknown outcome.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConflictError extends Schema.TaggedError<ConflictError>()(
  "ConflictError",
  errorResponse
) {
  static readonly status = 409
}

/**
 * 429: there were too many requests, so the service did not process this one.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimitError extends Schema.TaggedError<RateLimitError>()(
  "RateLimitError",
  retryAfterResponse
) {
  static readonly status = 429
}

/**
 * 5xx: the service failed. For a write, this is the `cause` of an unknown outcome.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServerError extends Schema.TaggedError<ServerError>()(
  "ServerError",
  retryAfterResponse
) {}

/**
 * A status without an error class of its own, such as 408 or a redirect. Redirects are not followed.
 * For a write, this is the `cause` of an unknown outcome.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnexpectedStatusError extends Schema.TaggedError<UnexpectedStatusError>()(
  "UnexpectedStatusError",
  retryAfterResponse
) {}

/**
 * No response: the connection was refused or lost, the host is unknown, or its TLS certificate was
 * rejected. A write fails with it only if no byte was sent; otherwise the error is an `OutcomeUnknown`.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  ...common,
  /** `false` if no byte of the request was sent; `true` if it may have been sent. */
  sent: Schema.Boolean,
  /**
   * The system's error code, such as `ECONNRESET`. `CLIENT_DIED` if the `HttpClient` died or was
   * interrupted. `NO_CONNECTION_IN_TIME` if all connections of `UndiciClient` were busy, or none could be
   * made. `fetch` refuses some requests itself: `BLOCKED_PORT`, `NO_PERMISSION` (Deno), `FOREIGN_SIGNAL`.
   * `NO_FETCH` if the runtime has none.
   */
  code: Schema.optional(Schema.String),
  /** The reason in words, such as `the certificate of the server has expired`, if `code` does not say all. */
  reason: Schema.optional(Schema.String)
}) {}

/**
 * No complete response arrived within the timeout of the attempt or the deadline of the call. For a
 * write, this is the `cause` of an unknown outcome.
 *
 * @since 0.1.0
 * @category errors
 */
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", {
  ...common,
  /** The timeout, in milliseconds. */
  afterMillis: Schema.Number
}) {}

/**
 * The reason why a response could not be read.
 *
 * | reason           | the body                                                        |
 * | ---------------- | --------------------------------------------------------------- |
 * | `Empty`          | is empty                                                        |
 * | `TooLarge`       | exceeds the gateway's `bodyLimit` after decompression           |
 * | `NotText`        | is not UTF-8                                                    |
 * | `NotJson`        | is not JSON: HTML, or truncated                                 |
 * | `NotAnEnvelope`  | is JSON without a boolean `success`                             |
 * | `Contradiction`  | has `success: false` with a 2xx status, or `success: true` with an error status |
 * | `AnotherSubject` | describes another resource, or values other than the request's  |
 * | `DataMisfit`     | has `success: true`, and `data` that does not match its schema  |
 * | `Unrelated`      | is a `DataMisfit` without the id, key or values that identify the request |
 *
 * @since 0.1.0
 * @category models
 */
export const MalformedReason = Schema.Literal(
  "Empty",
  "TooLarge",
  "NotText",
  "NotJson",
  "NotAnEnvelope",
  "Contradiction",
  "AnotherSubject",
  "DataMisfit",
  "Unrelated"
)

/**
 * @since 0.1.0
 * @category models
 */
export type MalformedReason = typeof MalformedReason.Type

/** Fields of the errors of a response that cannot be read. */
const unreadable = {
  ...common,
  status: Schema.Number,
  correlationId: Schema.optional(Schema.String),
  /** The invalid fields, without their values. */
  issues: Schema.Array(Issue)
}

/**
 * A response that is not an envelope, or does not match its schema. For a write, this is the `cause`
 * of an `OutcomeUnknown`.
 *
 * @since 0.1.0
 * @category errors
 */
export class MalformedResponseError extends Schema.TaggedError<MalformedResponseError>()(
  "MalformedResponseError",
  {
    ...unreadable,
    ...serviceError,
    reason: MalformedReason
  }
) {}

/** Fields of `AppliedUnreadable` and `UnkeyedAppliedUnreadable`. */
const appliedUnreadable = { ...unreadable, ...found }

/**
 * The write was applied, but its response cannot be read. Do not send it again: read the resource by
 * its `id` or `reference`, or contact the service's support with the correlation id.
 *
 * @since 0.1.0
 * @category errors
 */
export class AppliedUnreadable extends Schema.TaggedError<AppliedUnreadable>()(
  "AppliedUnreadable",
  { ...appliedUnreadable, key: IdempotencyKey }
) {}

/**
 * A write without an idempotency key was applied, but its response cannot be read. Do not send it again.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnkeyedAppliedUnreadable extends Schema.TaggedError<UnkeyedAppliedUnreadable>()(
  "UnkeyedAppliedUnreadable",
  appliedUnreadable
) {}

/**
 * Two responses under this key described the same resource, and it differs from the request: the key
 * was most likely used for another request. The outcome is unknown. Inspect the resource before you
 * choose a new key.
 *
 * @since 0.1.0
 * @category errors
 */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {
  ...common,
  key: IdempotencyKey,
  ...found,
  /** The fields of the resource that differ from the request. */
  differs: Schema.Array(Schema.String),
  /** The number of attempts. */
  attempts: Schema.Number
}) {}

/**
 * The errors of a request, except those of obtaining a token.
 *
 * @since 0.1.0
 * @category errors
 */
export const RequestError = Schema.Union(
  InvalidRequestError,
  UnauthorizedError,
  ForbiddenError,
  UnprocessableError,
  BadRequestError,
  NotFoundError,
  ConflictError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
  TransportError,
  TimeoutError,
  MalformedResponseError
)

/**
 * @since 0.1.0
 * @category errors
 */
export type RequestError = typeof RequestError.Type

/**
 * No token could be obtained, so nothing was sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class TokenUnavailableError extends Schema.TaggedError<TokenUnavailableError>()(
  "TokenUnavailableError",
  {
    ...common,
    /** The error of the token request, if one was made. */
    cause: Schema.optional(RequestError)
  }
) {}

/**
 * The errors of a read.
 *
 * @since 0.1.0
 * @category errors
 */
export const ReadError = Schema.Union(...RequestError.members, TokenUnavailableError)

/**
 * @since 0.1.0
 * @category errors
 */
export type ReadError = RequestError | TokenUnavailableError

/** Fields of `OutcomeUnknown` and `UnkeyedOutcomeUnknown`. */
const outcomeUnknown = {
  ...common,
  /** The number of attempts, if it is known: a process that died does not tell its own. */
  attempts: Schema.optional(Schema.Number),
  /** The error of the last attempt. */
  cause: ReadError
}

/**
 * The write may have been applied. Retry the same request with the same key: it cannot move money
 * twice.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  ...outcomeUnknown,
  key: IdempotencyKey
}) {}

/**
 * A write without an idempotency key may have been applied. A retry may apply it twice: check
 * first whether it was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnkeyedOutcomeUnknown extends Schema.TaggedError<UnkeyedOutcomeUnknown>()(
  "UnkeyedOutcomeUnknown",
  outcomeUnknown
) {}

/** The errors of a request that end a write as not applied. All others become the cause of an unknown outcome. */
const notApplied = [
  InvalidRequestError,
  UnauthorizedError,
  ForbiddenError,
  UnprocessableError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
  TransportError,
  TokenUnavailableError
] as const

type NotApplied = (typeof notApplied)[number]["Type"]

/**
 * The errors of a write with an idempotency key. After `OutcomeUnknown` and `KeyReused` its outcome is
 * unknown; after `AppliedUnreadable` it was applied; after any other error it was not applied. This is
 * about one call: if the key was used before, an earlier call may have been applied.
 *
 * @since 0.1.0
 * @category errors
 */
export const KeyedWriteError = Schema.Union(
  ...notApplied,
  AppliedUnreadable,
  OutcomeUnknown,
  KeyReused
)

/**
 * @since 0.1.0
 * @category errors
 */
export type KeyedWriteError = NotApplied | AppliedUnreadable | OutcomeUnknown | KeyReused

/**
 * The errors of a write without an idempotency key, such as `PaymentLinks.create`.
 *
 * @since 0.1.0
 * @category errors
 */
export const WriteError = Schema.Union(
  ...notApplied,
  UnkeyedAppliedUnreadable,
  UnkeyedOutcomeUnknown
)

/**
 * @since 0.1.0
 * @category errors
 */
export type WriteError = NotApplied | UnkeyedAppliedUnreadable | UnkeyedOutcomeUnknown

/**
 * The outcome of a write.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome = "applied" | "notApplied" | "unknown"

type WriteTag = (KeyedWriteError | WriteError)["_tag"]

/**
 * The outcome of a write that fails with an error, by its tag. All other rules about outcomes derive from this table, and
 * the compiler requires a row for each error.
 *
 * @since 0.1.0
 * @category models
 */
export const outcomes = {
  InvalidRequestError: "notApplied",
  UnauthorizedError: "notApplied",
  ForbiddenError: "notApplied",
  UnprocessableError: "notApplied",
  BadRequestError: "notApplied",
  NotFoundError: "notApplied",
  RateLimitError: "notApplied",
  /** A write fails with it only if no byte was sent. */
  TransportError: "notApplied",
  TokenUnavailableError: "notApplied",
  AppliedUnreadable: "applied",
  UnkeyedAppliedUnreadable: "applied",
  OutcomeUnknown: "unknown",
  UnkeyedOutcomeUnknown: "unknown",
  KeyReused: "unknown"
} as const satisfies Readonly<Record<WriteTag, Outcome>> &
  Readonly<Record<NotApplied["_tag"], "notApplied">>

const isWriteTag = (tag: string): tag is WriteTag => Object.hasOwn(outcomes, tag)

/**
 * Returns the outcome of the write that failed with this error. It is that of one call: `"notApplied"`
 * says nothing about an earlier call with the same key, which may have been applied. Also accepts errors
 * with an `outcome` property, such as `PaymentStillPending` of `collect`.
 *
 * @example
 * import * as Errors from "@manilla/core/Errors"
 *
 * const mayHavePaidInThisCall = (error: Errors.KeyedWriteError) => Errors.outcome(error) !== "notApplied"
 *
 * @since 0.1.0
 * @category predicates
 */
export const outcome = (
  error: KeyedWriteError | WriteError | { readonly outcome: Outcome }
): Outcome => {
  if ("outcome" in error) return error.outcome
  // The type does not allow them, but an error of a read, a timeout or stored data may be here.
  if (error._tag === "TransportError" && error.sent !== false) return "unknown"
  return isWriteTag(error._tag) ? outcomes[error._tag] : "unknown"
}

/**
 * Invalid options of a layer, such as a base URL without https.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConfigurationError extends Schema.TaggedError<ConfigurationError>()(
  "ConfigurationError",
  {
    /** The name of the option. */
    field: Schema.String,
    /** The rule that it breaks. */
    rule: Schema.String
  }
) {
  override get message(): string {
    return `${this.field} ${this.rule}`
  }
}
