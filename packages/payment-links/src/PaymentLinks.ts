/**
 * Hosted payment links: created once, listed, and followed while they are used.
 *
 * @since 0.1.0
 */
import * as Errors from "@manilla/core/Errors"
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
import type * as Stream from "effect/Stream"
import * as PaymentLink from "./PaymentLink.js"
import * as PaymentLinksApi from "./PaymentLinksApi.js"

/**
 * A link was still in use when its observation ended.
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
 * @since 0.1.0
 * @category models
 */
export interface WaitOptions extends Polling.Options<PaymentLink.PaymentLinkDetail> {}

/**
 * What tells the link that was asked for from others that are like it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CandidatesOptions {
  /**
   * A moment before the creation whose outcome is unknown: what was made earlier is another link.
   * `created_at` is of the service's clock, so leave room for how far it may be from yours.
   */
  readonly since: DateTime.DateTime
}

/**
 * Lists as interface section 4.9 shows them, and the other operations on them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Pagination.List<
  PaymentLinksApi.PaymentLinkFilter,
  PaymentLink.PaymentLink
> {
  /**
   * Creates a link (interface section 4.8). The interface has no key for it, so it is never sent
   * again once the service may have processed it: then it fails with `OutcomeUnknown`, and
   * `candidates` shows the links that it may have made. To retry this call makes a second link.
   */
  readonly create: (
    request: PaymentLink.PaymentLinkRequest
  ) => Effect.Effect<PaymentLink.PaymentLink, Errors.WriteError>

  /** Reads a link with its metadata (interface section 4.10). */
  readonly get: (
    id: PaymentLink.PaymentLinkId
  ) => Effect.Effect<PaymentLink.PaymentLinkDetail, Errors.ReadError>

  /**
   * After an `OutcomeUnknown`: the links that may be the one that was asked for. Of the first page of
   * 100 active links these are the ones that nobody has used, made at or after `since`, that are like
   * the request; when it has `metadata`, each is read, and has the same. Give each link `metadata` of
   * its own, such as the order's number: without it the links of two buyers can be alike.
   *
   * None does not prove that there is none: the list may be longer, and behind. The decision to
   * create it again is the caller's. Its errors speak of its reads: after any of them the link's
   * outcome is as unknown as before.
   */
  readonly candidates: (
    request: PaymentLink.PaymentLinkRequest,
    options: CandidatesOptions
  ) => Effect.Effect<ReadonlyArray<PaymentLink.PaymentLink>, Errors.ReadError>

  /**
   * The link each time it has changed, such as its `use_count`, ending when it is no longer
   * `ACTIVE`, or with `PaymentLinkStillActive` at the deadline, 10 minutes unless set.
   */
  readonly changes: (
    id: PaymentLink.PaymentLinkId,
    options?: WaitOptions
  ) => Stream.Stream<PaymentLink.PaymentLinkDetail, Errors.ReadError | PaymentLinkStillActive>
}

/**
 * @since 0.1.0
 * @category services
 */
export class PaymentLinks extends Context.Tag("@manilla/payment-links/PaymentLinks")<
  PaymentLinks,
  Service
>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(PaymentLinksApi.group)

  const create: Service["create"] = (payload) => calls.create({ payload })

  const get: Service["get"] = (paymentLink) => calls.get({ path: { paymentLink } })

  /** A wait reads again by itself, so each of its reads is one attempt. */
  const polls = gateway.calls(PaymentLinksApi.group, { attempts: 1 })
  const poll = (paymentLink: PaymentLink.PaymentLinkId, options: Operation.CallOptions) =>
    polls.get({ path: { paymentLink } }, options)

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
        ({ id }) => Effect.map(get(id), (link) => isSame(link.metadata ?? {}, metadata)),
        { concurrency: concurrentReads }
      )
    })

  const lists = Pagination.make<PaymentLinksApi.PaymentLinkFilter, PaymentLink.PaymentLink>({
    operation: "PaymentLinks.list",
    pageParameter: gateway.pageParameter,
    call: calls.list
  })

  const { changes } = Polling.make({
    operation: "PaymentLinks.changes",
    schema: PaymentLink.PaymentLinkDetail,
    read: poll,
    isFinal: ({ status }) => status !== "ACTIVE",
    stillPending: (id, fields, options) => new PaymentLinkStillActive({ id, ...fields }, options)
  })

  return {
    create,
    ...lists,
    get,
    candidates,
    changes
  }
})

/** The reads of candidates that are under way at once. */
const concurrentReads = 8

const isSame = Schema.equivalence(Metadata.Metadata)

/** As it was made: whoever asked for it never saw its address, and can have given it to nobody. */
const isUntouched = ({ status, use_count }: PaymentLink.PaymentLink): boolean =>
  status === "ACTIVE" && (use_count ?? 0) === 0

const isMadeSince = ({ created_at }: PaymentLink.PaymentLink, since: DateTime.DateTime): boolean =>
  created_at === undefined ||
  Timestamp.toEpochMicros(created_at) >= BigInt(DateTime.toEpochMillis(since)) * 1000n

const Sought = Schema.Struct({
  ...PaymentLink.PaymentLinkRequest.fields,
  since: Schema.Union(Schema.DateTimeUtcFromSelf, Schema.DateTimeZonedFromSelf).annotations({
    description: "a DateTime"
  })
})

const parse = ParseResult.decodeUnknownEither(Sought, { errors: "all", onExcessProperty: "error" })

const decodeSought = (
  input: unknown
): Either.Either<typeof Sought.Type, Errors.InvalidRequestError> =>
  Either.mapLeft(parse(input), (issue) => {
    const issues = Issues.fromParseIssue(issue)
    return new Errors.InvalidRequestError({
      operation: "PaymentLinks.candidates",
      message: `PaymentLinks.candidates: nothing was read: ${Issues.print(issues)}`,
      issues
    })
  })

/**
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
 *     Effect.catchTag("OutcomeUnknown", (unknown) =>
 *       links.candidates(request, { since }).pipe(
 *         // Whatever keeps it from looking is about the list. What became of the link stays unknown.
 *         Effect.mapError(() => unknown),
 *         Effect.flatMap(([found]) =>
 *           // Not found is not "not made": whether to create it again is for a person to say.
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
