/**
 * Lists, streams and reads transactions.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type * as Operation from "@manilla/core/Operation"
import * as Pagination from "@manilla/core/Pagination"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Transaction from "./Transaction.js"
import * as TransactionsApi from "./TransactionsApi.js"

/**
 * The methods of the `Transactions` service: the list of transactions, and `get`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Pagination.List<
  TransactionsApi.TransactionFilter,
  Transaction.Transaction
> {
  /** Reads a transaction by its reference. */
  readonly get: (
    reference: Transaction.TransactionReference,
    options?: Operation.CallOptions
  ) => Effect.Effect<Transaction.TransactionDetail, Errors.ReadError>
}

/**
 * The client of the transaction operations.
 *
 * @since 0.1.0
 * @category services
 */
export class Transactions extends Context.Tag("@manilla/transactions/Transactions")<
  Transactions,
  Service
>() {}

/**
 * Makes the `Transactions` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(TransactionsApi.group)

  const get: Service["get"] = (reference, options) => calls.get({ path: { reference } }, options)

  const lists = Pagination.make<TransactionsApi.TransactionFilter, Transaction.Transaction>({
    operation: "Transactions.list",
    pageParameter: gateway.pageParameter,
    call: calls.list
  })

  return {
    ...lists,
    get
  }
})

/**
 * A layer that provides `Transactions`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
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
