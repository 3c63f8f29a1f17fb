/**
 * Monetary amounts as exact decimal strings, as the service sends them.
 *
 * @since 0.1.0
 */
export * as Amount from "./Amount.js"

/**
 * The source of the gateway's bearer tokens. `@manilla/token` implements it; applications may provide
 * their own.
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
 * The envelope of every response (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Envelope from "./Envelope.js"

/**
 * The environment of an application, its tokens and its resources (interface section 1).
 *
 * @since 0.1.0
 */
export * as Environment from "./Environment.js"

/**
 * Tagged errors of calls. {@link outcome} maps the error of a write to its outcome: unknown
 * (`OutcomeUnknown`, `KeyReused`), applied (`AppliedUnreadable`), or not applied (all others).
 *
 * Errors contain no request paths, request bodies, headers or tokens. Strings from the service are
 * redacted, escaped and truncated.
 *
 * @since 0.1.0
 */
export * as Errors from "./Errors.js"

/**
 * Compiles declared operations into calls that validate, authenticate, retry by the rules of
 * `RetryPolicy`, and report the outcome of writes.
 *
 * Works with any `HttpClient` of `@effect/platform`. Use one that does not retry or follow redirects;
 * otherwise a payment may be sent twice. `UndiciClient.layer` is the fastest on Node. `fetch` retries
 * after a 421 response, as its standard requires.
 *
 * @since 0.1.0
 */
export * as Gateway from "./Gateway.js"

/**
 * Idempotency keys, which make writes safe to retry: one key per business operation (interface
 * section 4.1, rule 1).
 *
 * Create the key together with the business operation, such as an order, and store it. A new key in a
 * retry makes a second payment.
 *
 * @since 0.1.0
 */
export * as IdempotencyKey from "./IdempotencyKey.js"

/**
 * Identifiers and references as branded strings, one brand per resource (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Identifier from "./Identifier.js"

/**
 * Validation issues as fields and rules, without the invalid values.
 *
 * @since 0.1.0
 */
export * as Issues from "./Issues.js"

/**
 * Free-form key/value data of a resource (interface section 2.2).
 *
 * @since 0.1.0
 */
export * as Metadata from "./Metadata.js"

/**
 * Open enums for responses: known literals or any other string, so that new values of the service do
 * not break decoding.
 *
 * @since 0.1.0
 */
export * as OpenEnum from "./OpenEnum.js"

/**
 * Operations as plain data: method, path, schemas, scope, replay class and response checks. The
 * client, the sandbox, the OpenAPI document and the documentation tables are derived from them.
 *
 * @since 0.1.0
 */
export * as Operation from "./Operation.js"

/**
 * The type of a money movement (interface section 4.1).
 *
 * @since 0.1.0
 */
export * as OperationKind from "./OperationKind.js"

/**
 * Pages of lists (interface section 2.1).
 *
 * @since 0.1.0
 */
export * as Page from "./Page.js"

/**
 * Reads lists: the first page, or all pages as a stream that can be resumed at the page that failed.
 *
 * @since 0.1.0
 */
export * as Pagination from "./Pagination.js"

/**
 * Polls a resource until its status is final: the service has no events (interface section 6).
 *
 * @since 0.1.0
 */
export * as Polling from "./Polling.js"

/**
 * The retry policy: the rule for each fault, and the limits of the retry loop.
 *
 * @since 0.1.0
 */
export * as RetryPolicy from "./RetryPolicy.js"

/**
 * Marks schemas of sensitive values: secrets, phone numbers, one-time codes.
 *
 * If a response repeats a marked value of its request, the gateway redacts it in errors, logs and
 * spans.
 *
 * @since 0.1.0
 */
export * as Sensitive from "./Sensitive.js"

/**
 * Text with a length limit in Unicode characters (code points).
 *
 * @since 0.1.0
 */
export * as Text from "./Text.js"

/**
 * Timestamps as the service sends them: ISO 8601 in UTC with microseconds, preserved exactly (interface
 * section 2.1).
 *
 * @since 0.1.0
 */
export * as Timestamp from "./Timestamp.js"

/**
 * The transport between the gateway and the network. It sends a request once and returns one of four
 * results; it never fails.
 *
 * The gateway accepts any `HttpClient`. If a client was made from a transport, as `UndiciClient` is,
 * the gateway uses that transport directly.
 *
 * @since 0.1.0
 */
export * as Transport from "./Transport.js"

/**
 * Wallets, from which payouts and card fees are debited (interface sections 4.5 and 4.11).
 *
 * @since 0.1.0
 */
export * as Wallet from "./Wallet.js"
