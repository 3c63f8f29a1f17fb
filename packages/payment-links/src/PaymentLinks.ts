/**
 * Hosted payment links: created once, listed, and followed while they are used.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type { Page } from "@manilla/core/Page"
import * as Pagination from "@manilla/core/Pagination"
import * as Settlement from "@manilla/core/Settlement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
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
export class StillActive extends Schema.TaggedError<StillActive>(
  "@manilla/payment-links/StillActive"
)("StillActive", Settlement.stillPending(PaymentLink.PaymentLinkDetail)) {}

/**
 * @since 0.1.0
 * @category models
 */
export interface WaitOptions extends Settlement.Options<PaymentLink.PaymentLinkDetail> {}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Creates a link (interface section 4.8). The interface has no key for it, so it is never sent
   * again once the service may have processed it: then it fails with `OutcomeUnknown`, and
   * `candidates` shows the links that it may have made.
   */
  readonly create: (
    request: PaymentLink.PaymentLinkRequest
  ) => Effect.Effect<PaymentLink.PaymentLink, Errors.WriteError>

  /** The first page (interface section 4.9). */
  readonly list: (
    filter?: PaymentLinksApi.PaymentLinkFilter,
    options?: Pagination.ListOptions
  ) => Effect.Effect<Page<PaymentLink.PaymentLink>, Errors.ReadError>

  /**
   * All pages. Beyond the first it takes a `pageParameter` in the gateway's options; without one a
   * list that is longer fails with `PageParameterUnknown`.
   */
  readonly pages: (
    filter?: PaymentLinksApi.PaymentLinkFilter,
    options?: Pagination.StreamOptions
  ) => Stream.Stream<
    Page<PaymentLink.PaymentLink>,
    Pagination.PageFailed | Pagination.PageParameterUnknown
  >

  /** The links of all pages, one by one. */
  readonly stream: (
    filter?: PaymentLinksApi.PaymentLinkFilter,
    options?: Pagination.StreamOptions
  ) => Stream.Stream<
    PaymentLink.PaymentLink,
    Pagination.PageFailed | Pagination.PageParameterUnknown
  >

  /** Reads a link with its metadata (interface section 4.10). */
  readonly get: (
    id: PaymentLink.PaymentLinkId
  ) => Effect.Effect<PaymentLink.PaymentLinkDetail, Errors.ReadError>

  /**
   * After an `OutcomeUnknown`: the links of the first page of 100 that may be the one that was asked
   * for. None does not prove that there is none: the list may be longer, and behind. The decision to
   * create it again is the caller's.
   */
  readonly candidates: (
    request: PaymentLink.PaymentLinkRequest
  ) => Effect.Effect<ReadonlyArray<PaymentLink.PaymentLink>, Errors.ReadError>

  /**
   * The link each time it has changed, such as its `use_count`, ending when it is no longer
   * `ACTIVE`, or with `StillActive` at the deadline, 10 minutes unless set.
   */
  readonly changes: (
    id: PaymentLink.PaymentLinkId,
    options?: WaitOptions
  ) => Stream.Stream<PaymentLink.PaymentLinkDetail, Errors.ReadError | StillActive>
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

  const create: Service["create"] = (payload) =>
    Effect.map(calls.create({ payload }), ({ data }) => data)

  const list: Service["list"] = (urlParams = {}, { extraParams } = {}) =>
    Effect.map(calls.list({ urlParams, extraParams }), ({ data }) => data)

  const get: Service["get"] = (paymentLink) =>
    Effect.map(calls.get({ path: { paymentLink } }), ({ data }) => data)

  const candidates: Service["candidates"] = (request) =>
    Effect.map(list({ per_page: 100 }), ({ data }) =>
      data.filter((link) => PaymentLink.resembles(link, request))
    )

  const { pages, rows } = Pagination.make({
    operation: "PaymentLinks.list",
    pageParameter: gateway.pageParameter,
    list
  })

  const { changes } = Settlement.make({
    operation: "PaymentLinks.changes",
    schema: PaymentLink.PaymentLinkDetail,
    read: get,
    isOver: ({ status }) => status !== "ACTIVE",
    stillPending: (fields) => new StillActive(fields)
  })

  return {
    create,
    list,
    pages: (filter = {}, options) => pages(filter, options),
    stream: (filter = {}, options) => rows(filter, options),
    get,
    candidates,
    changes
  }
})

/**
 * @example
 * import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
 * import * as Effect from "effect/Effect"
 *
 * const request = { amount: "5000", currency: "XOF", country: "BJ", max_uses: 1 }
 *
 * const link = Effect.gen(function* () {
 *   const links = yield* PaymentLinks.PaymentLinks
 *   return yield* links.create(request).pipe(
 *     Effect.catchTag("OutcomeUnknown", () => links.candidates(request))
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
