/**
 * Transactions: listed, streamed over all pages, and read one by one.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type { Page } from "@manilla/core/Page"
import * as Pagination from "@manilla/core/Pagination"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type * as Transaction from "./Transaction.js"
import * as TransactionsApi from "./TransactionsApi.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The first page (interface section 4.3). */
  readonly list: (
    filter?: TransactionsApi.TransactionFilter,
    options?: Pagination.ListOptions
  ) => Effect.Effect<Page<Transaction.Transaction>, Errors.ReadError>

  /** Reads a transaction (interface section 4.4). */
  readonly get: (
    reference: Transaction.TransactionReference
  ) => Effect.Effect<Transaction.TransactionDetail, Errors.ReadError>

  /**
   * All pages. Beyond the first it takes a `pageParameter` in the gateway's options; without one a
   * list that is longer fails with `PageParameterUnknown`. A `PageFailed` carries the page to go on
   * from.
   */
  readonly pages: (
    filter?: TransactionsApi.TransactionFilter,
    options?: Pagination.StreamOptions
  ) => Stream.Stream<
    Page<Transaction.Transaction>,
    Pagination.PageFailed | Pagination.PageParameterUnknown
  >

  /** The transactions of all pages, one by one. */
  readonly stream: (
    filter?: TransactionsApi.TransactionFilter,
    options?: Pagination.StreamOptions
  ) => Stream.Stream<
    Transaction.Transaction,
    Pagination.PageFailed | Pagination.PageParameterUnknown
  >
}

/**
 * @since 0.1.0
 * @category services
 */
export class Transactions extends Context.Tag("@manilla/transactions/Transactions")<
  Transactions,
  Service
>() {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(TransactionsApi.group)

  const list: Service["list"] = (urlParams = {}, { extraParams } = {}) =>
    calls.list({ urlParams, extraParams })

  const get: Service["get"] = (reference) => calls.get({ path: { reference } })

  const { pages, rows } = Pagination.make({
    operation: "Transactions.list",
    pageParameter: gateway.pageParameter,
    list
  })

  return {
    list,
    get,
    pages: (filter = {}, options) => pages(filter, options),
    stream: (filter = {}, options) => rows(filter, options)
  }
})

/**
 * @example
 * import * as Transactions from "@manilla/transactions/Transactions"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * const fees = Effect.gen(function* () {
 *   const transactions = yield* Transactions.Transactions
 *   return yield* transactions.stream({ currency: "XOF" }).pipe(
 *     Stream.map(({ fee_amount }) => fee_amount),
 *     Stream.runCollect
 *   )
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Transactions, never, Gateway.Gateway> = Layer.effect(
  Transactions,
  make
)
