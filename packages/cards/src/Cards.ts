/**
 * Issues and lists virtual cards.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as Pagination from "@manilla/core/Pagination"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Card from "./Card.js"
import * as CardsApi from "./CardsApi.js"

/**
 * The request of `issue`: the body of `POST /cards` without its idempotency key.
 *
 * @since 0.1.0
 * @category models
 */
export interface IssueRequest extends Omit<Card.CardRequest, "idempotency_key"> {
  /** Set by the option `key`. */
  readonly idempotency_key?: never
}

/**
 * Options of `issue`.
 *
 * @since 0.1.0
 * @category models
 */
export interface IssueOptions extends Operation.CallOptions {
  /**
   * The idempotency key of the business operation, at most 100 characters: one key never issues two
   * cards. The service returns it as `issuance_reference`.
   */
  readonly key: IdempotencyKey.IdempotencyKey
}

/**
 * The methods of the `Cards` service: the list of cards, and `issue`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Pagination.List<CardsApi.PageSize, Card.Card> {
  /**
   * Issues a card and debits the fee from the wallet. An invalid request fails
   * with `InvalidRequestError` and is not sent.
   *
   * - `OutcomeUnknown`: it may have been issued. Retry with the same key.
   * - `KeyReused`: the key was most likely used for another request. It may have been issued.
   * - `AppliedUnreadable`: it was issued. Do not retry.
   * - Any other error: this request did not issue it. If the key was used before, an earlier one may have.
   */
  readonly issue: (
    request: IssueRequest,
    options: IssueOptions
  ) => Effect.Effect<Card.Issuance, Errors.KeyedWriteError>
}

/**
 * The client of the card operations.
 *
 * @since 0.1.0
 * @category services
 */
export class Cards extends Context.Tag("@manilla/cards/Cards")<Cards, Service>() {}

/**
 * Makes the `Cards` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(CardsApi.group)

  const issue: Service["issue"] = (request, options) =>
    // JavaScript callers may omit the options: the missing key is then an `InvalidRequestError`.
    calls.issue({ payload: { ...request, idempotency_key: options?.key } }, options)

  const lists = Pagination.make<CardsApi.PageSize, Card.Card>({
    operation: "Cards.list",
    pageParameter: gateway.pageParameter,
    call: calls.list
  })

  return { issue, ...lists }
})

/**
 * A layer that provides `Cards`. It needs a gateway, such as `Manilla.layerConfig()` of `@manilla/token`.
 *
 * @example
 * import * as Cards from "@manilla/cards/Cards"
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as Effect from "effect/Effect"
 *
 * const card = Effect.gen(function* () {
 *   const cards = yield* Cards.Cards
 *   return yield* cards.issue(
 *     {
 *       customer_id: "5a1d0c7e-3f43-4f0e-8f7b-1c2d3e4f5a6b",
 *       wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
 *       debit_currency: "XOF",
 *       initial_balance: "10"
 *     },
 *     { key: IdempotencyKey.derive("card", "employee-7") }
 *   )
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Cards, never, Gateway.Gateway> = Layer.effect(Cards, make)
