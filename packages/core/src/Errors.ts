/**
 * The errors of calls, tagged. A write has three outcomes, and {@link outcome} reads them off its
 * error: unknown (`OutcomeUnknown`, `KeyReused`), applied (`AppliedUnreadable`), or not applied (every
 * other error).
 *
 * No error carries a path, a request, a header or a token. Strings that come from the service are
 * redacted, escaped and shortened first.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { IdempotencyKey } from "./IdempotencyKey.js"

/** Members that every error has. */
const common = {
  /** The operation, such as `Payments.create`. */
  operation: Schema.String,
  /** What happened and what to do, for a person. */
  message: Schema.String
}

/** The members of `data.error`, as the service sent them (interface section 7). */
const said = {
  /** `error.code`; its values are not shown by the interface. */
  code: Schema.optional(Schema.String),
  /** `error.message`, for a person. */
  serviceMessage: Schema.optional(Schema.String),
  /** `error.details`, an object or an array; its shape is not shown. */
  details: Schema.optional(Schema.Unknown)
}

/** Members of an answer with an error status (interface sections 2.1 and 7). */
const answered = {
  ...common,
  status: Schema.Int,
  ...said,
  correlationId: Schema.optional(Schema.String)
}

/**
 * A field that breaks a rule.
 *
 * @since 0.1.0
 * @category models
 */
export const Issue = Schema.Struct({
  /** Where: `payer.phone_number`. */
  field: Schema.String,
  /** Which rule: `must be a string of at most 32 characters`. Never the value. */
  rule: Schema.String
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Issue extends Schema.Schema.Type<typeof Issue> {}

/**
 * The input breaks a rule of the interface. Nothing was sent. Every broken field is named.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidRequestError extends Schema.TaggedError<InvalidRequestError>(
  "@manilla/core/InvalidRequestError"
)("InvalidRequestError", { ...common, issues: Schema.Array(Issue) }) {}

/**
 * 401: the token was refused, and so was a new one, unless there was no time left for that. Nothing
 * was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnauthorizedError extends Schema.TaggedError<UnauthorizedError>(
  "@manilla/core/UnauthorizedError"
)("UnauthorizedError", answered) {
  static readonly status = 401
}

/**
 * 403: the scope or the account's state does not suffice. Nothing was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class ForbiddenError extends Schema.TaggedError<ForbiddenError>(
  "@manilla/core/ForbiddenError"
)("ForbiddenError", {
  ...answered,
  /** The scope that the operation needs, where the interface shows it. */
  requiredScope: Schema.optional(Schema.String),
  /** The scopes that the token has. */
  grantedScopes: Schema.Array(Schema.String)
}) {
  static readonly status = 403
}

/**
 * 422: the payload or a business rule is not met. Nothing was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnprocessableError extends Schema.TaggedError<UnprocessableError>(
  "@manilla/core/UnprocessableError"
)("UnprocessableError", answered) {
  static readonly status = 422
}

/**
 * 400. Nothing was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadRequestError extends Schema.TaggedError<BadRequestError>(
  "@manilla/core/BadRequestError"
)("BadRequestError", answered) {
  static readonly status = 400
}

/**
 * 404. Nothing was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotFoundError extends Schema.TaggedError<NotFoundError>("@manilla/core/NotFoundError")(
  "NotFoundError",
  answered
) {
  static readonly status = 404
}

/**
 * 409.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConflictError extends Schema.TaggedError<ConflictError>("@manilla/core/ConflictError")(
  "ConflictError",
  answered
) {
  static readonly status = 409
}

/**
 * 429: refused before it was processed. Nothing was applied.
 *
 * @since 0.1.0
 * @category errors
 */
export class RateLimitError extends Schema.TaggedError<RateLimitError>(
  "@manilla/core/RateLimitError"
)("RateLimitError", {
  ...answered,
  /** How long the service asked to be left alone, in milliseconds. */
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  static readonly status = 429
}

/**
 * 5xx: the service failed.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServerError extends Schema.TaggedError<ServerError>("@manilla/core/ServerError")(
  "ServerError",
  {
    ...answered,
    /** How long the service asked to be left alone, in milliseconds. */
    retryAfterMillis: Schema.optional(Schema.Number)
  }
) {}

/**
 * A status that none of the other errors stands for. Redirects are never followed and end here.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnexpectedStatusError extends Schema.TaggedError<UnexpectedStatusError>(
  "@manilla/core/UnexpectedStatusError"
)("UnexpectedStatusError", {
  ...answered,
  /** How long the service asked to be left alone, in milliseconds. */
  retryAfterMillis: Schema.optional(Schema.Number)
}) {}

/**
 * No answer came: refused, reset, no such host, no trust in the certificate.
 *
 * @since 0.1.0
 * @category errors
 */
export class TransportError extends Schema.TaggedError<TransportError>(
  "@manilla/core/TransportError"
)("TransportError", {
  ...common,
  /** `false` when it is certain that no byte of the request left. */
  sent: Schema.Boolean,
  /**
   * The system's code, such as `ECONNRESET`; `CLIENT_DIED` of an `HttpClient` that dies or interrupts
   * itself.
   */
  code: Schema.optional(Schema.String)
}) {}

/**
 * The time of the attempt or of the whole call ran out.
 *
 * @since 0.1.0
 * @category errors
 */
export class TimeoutError extends Schema.TaggedError<TimeoutError>("@manilla/core/TimeoutError")(
  "TimeoutError",
  {
    ...common,
    afterMillis: Schema.Number
  }
) {}

/**
 * What is wrong with an answer that could not be read.
 *
 * | reason          | the body                                                         |
 * | --------------- | ---------------------------------------------------------------- |
 * | `Empty`         | has no bytes                                                     |
 * | `TooLarge`      | is longer than the gateway reads, counted after decompression    |
 * | `NotText`       | is not UTF-8                                                     |
 * | `NotJson`       | is not JSON: HTML, or cut short                                  |
 * | `NotAnEnvelope` | is JSON without a boolean `success`                              |
 * | `Contradiction` | says failure under a 2xx status, or success under an error       |
 * | `AnotherSubject`| is about another resource than was asked for, or repeats other values |
 * | `DataMisfit`    | is an envelope of success around data that breaks its schema     |
 * | `Unrelated`     | is that, and does not show whose it is where it could            |
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

/** What is kept of an answer that could not be read. */
const unread = {
  ...common,
  status: Schema.Int,
  correlationId: Schema.optional(Schema.String),
  /** The fields that break the schema, without their values. */
  issues: Schema.Array(Issue)
}

/**
 * An answer that is not the envelope, or breaks its schema.
 *
 * @since 0.1.0
 * @category errors
 */
export class MalformedResponseError extends Schema.TaggedError<MalformedResponseError>(
  "@manilla/core/MalformedResponseError"
)("MalformedResponseError", {
  ...unread,
  ...said,
  reason: MalformedReason,
  /** The beginning of a body that is not JSON, with digits, long words and strings struck out. */
  excerpt: Schema.optional(Schema.String)
}) {}

/** The members of both `AppliedUnreadable` classes. */
const appliedUnreadable = {
  ...unread,
  /** The id of the new resource, if the answer had one. */
  id: Schema.optional(Schema.String),
  /** Its reference, if the answer had one. */
  reference: Schema.optional(Schema.String)
}

/**
 * The write was applied, and its answer cannot be read. Never send it again: read the resource by
 * its `id` or `reference`, or ask the service with the correlation id.
 *
 * @since 0.1.0
 * @category errors
 */
export class AppliedUnreadable extends Schema.TaggedError<AppliedUnreadable>(
  "@manilla/core/AppliedUnreadable"
)("AppliedUnreadable", { ...appliedUnreadable, key: IdempotencyKey }) {}

/**
 * `AppliedUnreadable` of an operation that has no idempotency key in the interface.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnkeyedAppliedUnreadable extends Schema.TaggedError<UnkeyedAppliedUnreadable>(
  "@manilla/core/UnkeyedAppliedUnreadable"
)("AppliedUnreadable", appliedUnreadable) {}

/**
 * The same resource came back twice under this key, and it is not what was asked for: the key most
 * likely belongs to another request. Whether this request was applied is unknown. Look at the resource
 * before choosing a new key.
 *
 * @since 0.1.0
 * @category errors
 */
export class KeyReused extends Schema.TaggedError<KeyReused>("@manilla/core/KeyReused")(
  "KeyReused",
  {
    ...common,
    key: IdempotencyKey,
    /** The id of the resource that came back, if the answers had one. */
    id: Schema.optional(Schema.String),
    /** Its reference, if the answers had one. */
    reference: Schema.optional(Schema.String),
    /** The members of the resource that differ from the request. */
    differs: Schema.Array(Schema.String),
    /** How many times the request was sent. */
    attempts: Schema.Int
  }
) {}

/**
 * What can come of a request that was sent, or was refused before it was.
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
export class TokenUnavailableError extends Schema.TaggedError<TokenUnavailableError>(
  "@manilla/core/TokenUnavailableError"
)("TokenUnavailableError", {
  ...common,
  /** What became of the request for a token, where one was made. */
  cause: Schema.optional(RequestError)
}) {}

/**
 * What a read fails with.
 *
 * @since 0.1.0
 * @category errors
 */
export const ReadError = Schema.Union(...RequestError.members, TokenUnavailableError)

/**
 * @since 0.1.0
 * @category errors
 */
export type ReadError = typeof ReadError.Type

/** The members of both `OutcomeUnknown` classes. */
const outcomeUnknown = {
  ...common,
  /** How many times the request was sent. */
  attempts: Schema.Int,
  /** The end of the last attempt. */
  cause: ReadError
}

/**
 * The write may have been applied. Send the same request again under the same key: that moves no money
 * twice.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>(
  "@manilla/core/OutcomeUnknown"
)("OutcomeUnknown", { ...outcomeUnknown, key: IdempotencyKey }) {}

/**
 * `OutcomeUnknown` of an operation that has no idempotency key in the interface: sending it again may
 * apply it twice. Look for its effect first.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnkeyedOutcomeUnknown extends Schema.TaggedError<UnkeyedOutcomeUnknown>(
  "@manilla/core/UnkeyedOutcomeUnknown"
)("OutcomeUnknown", outcomeUnknown) {}

/** The errors of a write that was not applied. */
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

/**
 * The errors of a write with an idempotency key. `OutcomeUnknown`: it may have been applied.
 * `KeyReused`: the key most likely belongs to another request, and it may have been applied.
 * `AppliedUnreadable`: it was applied. Any other: it was not applied.
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
export type KeyedWriteError = typeof KeyedWriteError.Type

/**
 * The errors of a write without an idempotency key, such as the creation of a payment link.
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
export type WriteError = typeof WriteError.Type

/**
 * Whether a write took effect.
 *
 * @since 0.1.0
 * @category models
 */
export type Outcome = "applied" | "notApplied" | "unknown"

/**
 * Whether the write that failed with this error took effect. It also takes errors that state their
 * `outcome` themselves, such as `PaymentStillPending` of `collect`.
 *
 * @example
 * import * as Errors from "@manilla/core/Errors"
 *
 * const retryAfterDays = (error: Errors.KeyedWriteError) =>
 *   Errors.outcome(error) === "unknown" ? "with the same key" : "not needed"
 *
 * @since 0.1.0
 * @category predicates
 */
export const outcome = (
  error: KeyedWriteError | WriteError | { readonly outcome: Outcome }
): Outcome => {
  if ("outcome" in error) return error.outcome
  switch (error._tag) {
    case "AppliedUnreadable":
      return "applied"
    case "OutcomeUnknown":
    case "KeyReused":
      return "unknown"
    default:
      return "notApplied"
  }
}

/**
 * The options of a layer break a rule, such as a base URL without https.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConfigurationError extends Schema.TaggedError<ConfigurationError>(
  "@manilla/core/ConfigurationError"
)("ConfigurationError", {
  /** Which option. */
  field: Schema.String,
  /** Which rule. */
  rule: Schema.String
}) {
  override get message(): string {
    return `${this.field} ${this.rule}`
  }
}
