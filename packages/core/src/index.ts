/**
 * Money as the decimal string that the service sends: exact, kept digit for digit, never a float.
 *
 * @since 0.1.0
 */
export * as Amount from "./Amount.js"

/**
 * Where the gateway gets its bearer tokens. `@manilla/token` provides it; a test or a caller with
 * tokens of its own may provide another.
 *
 * @since 0.1.0
 */
export * as BearerTokens from "./BearerTokens.js"

/**
 * Countries as 2-character codes (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Country from "./Country.js"

/**
 * Currencies as 3-character codes (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Currency from "./Currency.js"

/**
 * Every answer comes in an envelope (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Envelope from "./Envelope.js"

/**
 * The environment that an application, its token and its resources belong to (interface section 1).
 *
 * @since 0.1.0
 */
export * as Environment from "./Environment.js"

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
export * as Errors from "./Errors.js"

/**
 * Turns declared operations into calls that validate, authenticate, retry by the truth table of
 * `RetryPolicy`, and tell the three outcomes of a write apart.
 *
 * It runs over any `HttpClient` of `@effect/platform`. Use one that does not retry or follow redirects;
 * otherwise a payment may be sent twice. On Node prefer `UndiciClient.layer`, which is the fastest.
 * Fetch, by its own standard, sends a request again when it is answered 421.
 *
 * @since 0.1.0
 */
export * as Gateway from "./Gateway.js"

/**
 * The key that makes a money-moving call safe to repeat: one key, one business operation
 * (interface section 4.1, rule 1).
 *
 * Make the key where the business operation is born, such as an order or an invoice, and keep it
 * there. A key made anew inside a retry is a second payment.
 *
 * @since 0.1.0
 */
export * as IdempotencyKey from "./IdempotencyKey.js"

/**
 * Identifiers and references: strings that differ in type, so that one resource's does not fit
 * where another's is asked (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Identifier from "./Identifier.js"

/**
 * What is wrong with an input, as fields and rules: every one of them, and never the value that
 * broke it.
 *
 * @since 0.1.0
 */
export * as Issues from "./Issues.js"

/**
 * Free-form key/value data that travels with a resource (interface section 2.2).
 *
 * @since 0.1.0
 */
export * as Metadata from "./Metadata.js"

/**
 * Response enums stay open: the literals that the interface shows, or any other string. A value
 * that the service adds tomorrow never breaks a decode.
 *
 * @since 0.1.0
 */
export * as OpenEnum from "./OpenEnum.js"

/**
 * Operations as plain data: method, path, schemas, scope, replay class and response checks. The
 * client, the sandbox, the OpenAPI document and the tables of the documentation all read them here.
 *
 * @since 0.1.0
 */
export * as Operation from "./Operation.js"

/**
 * What kind of money movement a resource is (interface section 4.1).
 *
 * @since 0.1.0
 */
export * as OperationKind from "./OperationKind.js"

/**
 * Lists come in pages (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Page from "./Page.js"

/**
 * Lists, read page by page as streams that can be resumed at the page that failed.
 *
 * @since 0.1.0
 */
export * as Pagination from "./Pagination.js"

/**
 * Waits until the status of a resource is final, by polling: the service has no events (interface
 * section 6).
 *
 * @since 0.1.0
 */
export * as Polling from "./Polling.js"

/**
 * When a call is sent again: the rule as a table, and its numbers as data.
 *
 * @since 0.1.0
 */
export * as RetryPolicy from "./RetryPolicy.js"

/**
 * Marks the fields whose values must never be printed: secrets, phone numbers, one-time codes.
 *
 * The gateway strikes the marked values of a request out of whatever the service says back, before
 * any of it enters an error, a log or a span.
 *
 * @since 0.1.0
 */
export * as Sensitive from "./Sensitive.js"

/**
 * Free text with a limit, counted in characters as a person counts them, not in UTF-16 units.
 *
 * @since 0.1.0
 */
export * as Text from "./Text.js"

/**
 * Points in time as the service writes them: ISO 8601 in UTC with microseconds, kept to the last
 * digit (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Timestamp from "./Timestamp.js"

/**
 * The port between the gateway and the network: bytes out; status, headers and bounded bytes back. An
 * attempt ends in one of four values, and never fails.
 *
 * The gateway takes any `HttpClient`. One that was made from a transport, such as `UndiciClient`, is
 * used without the layers between.
 *
 * @since 0.1.0
 */
export * as Transport from "./Transport.js"

/**
 * Wallets: where payouts come from, and what pays for cards (interface sections 4.5 and 4.11).
 *
 * @since 0.1.0
 */
export * as Wallet from "./Wallet.js"
