/**
 * Lists cardholders without personal data, and reads the personal data of one.
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
import * as Schema from "effect/Schema"
import * as Cardholder from "./Cardholder.js"
import * as CardholdersApi from "./CardholdersApi.js"
import type { PageSize } from "./CardsApi.js"

/**
 * The methods of the `Cardholders` service: the list of cardholders, and `get`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Pagination.List<PageSize, Cardholder.Cardholder> {
  /** Reads a cardholder's personal data, in `Redacted` fields. */
  readonly get: (
    id: Cardholder.CardholderId,
    options?: Operation.CallOptions
  ) => Effect.Effect<Cardholder.CardholderDetail, Errors.ReadError>
}

/**
 * The client of the cardholder operations.
 *
 * @since 0.1.0
 * @category services
 */
export class Cardholders extends Context.Tag("@manilla/cards/Cardholders")<
  Cardholders,
  Service
>() {}

/**
 * Makes the `Cardholders` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(CardholdersApi.group)

  const lists = Pagination.make<PageSize, Cardholder.Cardholder>({
    operation: "Cardholders.list",
    pageParameter: gateway.pageParameter,
    call: calls.list
  })

  return {
    ...lists,
    get: (virtualCardCustomer, options) =>
      Effect.map(calls.get({ path: { virtualCardCustomer } }, options), redact)
  }
})

/** Cannot fail: the call has validated these fields. Removes fields that are not in the schema. */
const redact = Schema.decodeSync(Cardholder.CardholderDetail)

/**
 * A layer that provides `Cardholders`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
 * @example
 * import * as Cardholder from "@manilla/cards/Cardholder"
 * import * as Cardholders from "@manilla/cards/Cardholders"
 * import * as Effect from "effect/Effect"
 *
 * const holder = Effect.gen(function* () {
 *   const cardholders = yield* Cardholders.Cardholders
 *   return yield* cardholders.get(
 *     Cardholder.makeId("5a1d0c7e-3f43-4f0e-8f7b-1c2d3e4f5a6b")
 *   )
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Cardholders, never, Gateway.Gateway> = Layer.effect(
  Cardholders,
  make
)
