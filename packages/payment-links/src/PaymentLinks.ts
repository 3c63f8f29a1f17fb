/**
 * Creates, lists and watches hosted payment links.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as Issues from "@manilla/core/Issues"
import * as Metadata from "@manilla/core/Metadata"
import type * as Operation from "@manilla/core/Operation"
import * as Pagination from "@manilla/core/Pagination"
import * as Polling from "@manilla/core/Polling"
import * as Timestamp from "@manilla/core/Timestamp"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as PaymentLink from "./PaymentLink.js"
import * as PaymentLinksApi from "./PaymentLinksApi.js"

/**
 * The link was still `ACTIVE` at the deadline of the wait.
 *
 * @since 0.1.0
 * @category errors
 */
export class PaymentLinkStillActive extends Schema.TaggedError<PaymentLinkStillActive>(
  "@manilla/payment-links/PaymentLinkStillActive"
)("PaymentLinkStillActive", {
  id: PaymentLink.PaymentLinkId,
  ...Polling.stillPending(PaymentLink.PaymentLinkDetail)
}) {}

/**
 * Options of `candidates`.
 *
 * @since 0.1.0
 * @category models
 */
export interface CandidatesOptions {
  /**
   * A time before the call whose outcome is unknown. Links created earlier are not candidates.
   * `created_at` comes from the service's clock, so allow for clock differences.
   */
  readonly since: DateTime.DateTime | Date
}

/**
 * The methods of the `PaymentLinks` service: those of the list of links, those
 * that wait until a link is no longer `ACTIVE`, and those below. `changes` also emits each use of the link.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service
  extends
    Pagination.List<PaymentLinksApi.PaymentLinkFilter, PaymentLink.PaymentLink>,
    Polling.Waits<
      PaymentLink.PaymentLinkId,
      PaymentLink.PaymentLinkDetail,
      PaymentLinkStillActive
    > {
  /**
   * Creates a link. The interface defines no idempotency key for it, so the
   * request is not retried after the service may have processed it: the call fails with
   * `UnkeyedOutcomeUnknown`. A retry by the caller may create a second link: use `candidates` first.
   */
  readonly create: (
    request: PaymentLink.PaymentLinkRequest,
    options?: Operation.CallOptions
  ) => Effect.Effect<PaymentLink.PaymentLink, Errors.WriteError>

  /** Reads a link with its metadata. */
  readonly get: (
    id: PaymentLink.PaymentLinkId,
    options?: Operation.CallOptions
  ) => Effect.Effect<PaymentLink.PaymentLinkDetail, Errors.ReadError>

  /**
   * Finds the links that a request may have created, after `UnkeyedOutcomeUnknown`. Searches the first page of
   * 100 active links for unused links that match the request and were created at or after `since`. If
   * the request has `metadata`, also reads each match and compares it. Give each link unique `metadata`,
   * such as an order number: otherwise the links of two buyers may be equal.
   *
   * An empty result does not prove that no link was created: the list may have more pages, or lag.
   * After an error, the outcome is still unknown.
   */
  readonly candidates: (
    request: PaymentLink.PaymentLinkRequest,
    options: CandidatesOptions
  ) => Effect.Effect<ReadonlyArray<PaymentLink.PaymentLink>, Errors.ReadError>
}

/**
 * The client of the payment link operations.
 *
 * @since 0.1.0
 * @category services
 */
export class PaymentLinks extends Context.Tag("@manilla/payment-links/PaymentLinks")<
  PaymentLinks,
  Service
>() {}

/**
 * Makes the `PaymentLinks` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(PaymentLinksApi.group)

  const create: Service["create"] = (payload, options) => calls.create({ payload }, options)

  const get: Service["get"] = (paymentLink, options) =>
    calls.get({ path: { paymentLink } }, options)

  const candidates: Service["candidates"] = (request, options) =>
    Effect.gen(function* () {
      const sought = yield* decodeSought({ ...request, ...options })
      const { data } = yield* lists.list({ per_page: 100, status: "ACTIVE" })
      const alike = data.filter(
        (link) =>
          isUntouched(link) &&
          isMadeSince(link, sought.since) &&
          PaymentLink.resembles(link, sought)
      )
      const { metadata = {} } = sought
      if (Object.keys(metadata).length === 0) return alike
      return yield* Effect.filter(
        alike,
        ({ id }) => Effect.map(get(id), (link) => Metadata.Equivalence(link.metadata, metadata)),
        { concurrency: concurrentReads }
      )
    })

  const lists = Pagination.make<PaymentLinksApi.PaymentLinkFilter, PaymentLink.PaymentLink>({
    operation: "PaymentLinks.list",
    pageParameter: gateway.pageParameter,
    call: calls.list
  })

  const { waits } = Polling.make({
    operation: "PaymentLinks.awaitFinal",
    by: "id",
    read: get,
    isFinal: ({ status }) => status !== "ACTIVE",
    stillPending: (id, fields) => new PaymentLinkStillActive({ id, ...fields })
  })

  return {
    ...lists,
    ...waits,
    create,
    get,
    candidates
  }
})

/** The number of candidates that are read at the same time. */
const concurrentReads = 8

/** A link of unknown outcome is unused: its creator did not receive the URL. */
const isUntouched = ({ status, use_count }: PaymentLink.PaymentLink): boolean =>
  status === "ACTIVE" && (use_count ?? 0) === 0

const isMadeSince = (
  { created_at }: PaymentLink.PaymentLink,
  since: DateTime.DateTime | Date
): boolean =>
  created_at === undefined ||
  Timestamp.toEpochMicros(created_at) >=
    BigInt(Math.floor(DateTime.toEpochMillis(DateTime.unsafeMake(since)))) * 1000n

const Sought = Schema.Struct({
  ...PaymentLink.PaymentLinkRequest.fields,
  since: Schema.Union(
    Schema.DateTimeUtcFromSelf,
    Schema.DateTimeZonedFromSelf,
    Schema.ValidDateFromSelf
  ).annotations({ description: "a DateTime or a valid Date" })
})

const parse = ParseResult.decodeUnknownEither(Sought, { errors: "all", onExcessProperty: "error" })

const decodeSought = (
  input: unknown
): Either.Either<typeof Sought.Type, Errors.InvalidRequestError> =>
  Either.mapLeft(parse(input), (issue) =>
    Issues.invalidRequest("PaymentLinks.candidates", Issues.fromParseIssue(issue))
  )

/**
 * A layer that provides `PaymentLinks`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
 * @example
 * import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
 * import * as DateTime from "effect/DateTime"
 * import * as Effect from "effect/Effect"
 *
 * const request = {
 *   amount: "5000",
 *   currency: "XOF",
 *   country: "BJ",
 *   max_uses: 1,
 *   metadata: { order: "42" }
 * }
 *
 * const link = Effect.gen(function* () {
 *   const links = yield* PaymentLinks.PaymentLinks
 *   // The service's clock may be behind this one.
 *   const since = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
 *   return yield* links.create(request).pipe(
 *     Effect.catchTag("UnkeyedOutcomeUnknown", (unknown) =>
 *       links.candidates(request, { since }).pipe(
 *         // If the search fails, the outcome is still unknown.
 *         Effect.mapError(() => unknown),
 *         Effect.flatMap(([found]) =>
 *           // An empty result does not prove that no link was created: let a person decide.
 *           found === undefined ? Effect.fail(unknown) : Effect.succeed(found)
 *         )
 *       )
 *     )
 *   )
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<PaymentLinks, never, Gateway.Gateway> = Layer.effect(
  PaymentLinks,
  make
)
