/**
 * The service catalogue: available countries, currencies, operations and payment methods.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import type * as Operation from "@manilla/core/Operation"
import type * as OperationKind from "@manilla/core/OperationKind"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AvailableService, ServiceList } from "./AvailableService.js"
import * as CatalogueApi from "./CatalogueApi.js"

/**
 * A filter of services. An absent field matches every service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wanted {
  readonly country?: string | undefined
  readonly currency?: string | undefined
  readonly operation?: OperationKind.OperationKind | undefined
  readonly payment_method?: string | undefined
}

/**
 * The methods of the `Catalogue` service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Reads the whole catalogue, including unavailable services. */
  readonly list: (options?: Operation.CallOptions) => Effect.Effect<ServiceList, Errors.ReadError>
  /** Reads the services that are available and match the filter. */
  readonly available: (
    wanted: Wanted,
    options?: Operation.CallOptions
  ) => Effect.Effect<ReadonlyArray<AvailableService>, Errors.ReadError>
}

/**
 * The client of the catalogue operation.
 *
 * @since 0.1.0
 * @category services
 */
export class Catalogue extends Context.Tag("@manilla/catalogue/Catalogue")<Catalogue, Service>() {}

/**
 * Selects the services that are available and match the filter.
 *
 * @since 0.1.0
 * @category filtering
 */
export const select = (
  services: ReadonlyArray<AvailableService>,
  wanted: Wanted
): ReadonlyArray<AvailableService> =>
  services.filter(
    ({ available, country, currency, operation, payment_method }) =>
      available &&
      country.code === (wanted.country ?? country.code) &&
      currency.code === (wanted.currency ?? currency.code) &&
      operation === (wanted.operation ?? operation) &&
      payment_method === (wanted.payment_method ?? payment_method)
  )

/**
 * Makes the `Catalogue` service from the gateway.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Service, never, Gateway.Gateway> = Effect.gen(function* () {
  const gateway = yield* Gateway.Gateway
  const calls = gateway.calls(CatalogueApi.group)
  const list: Service["list"] = (options) => calls.list({}, options)
  return {
    list,
    available: (wanted, options) =>
      Effect.map(list(options), ({ services }) => select(services, wanted))
  }
})

/**
 * A layer that provides `Catalogue`. It needs a gateway, such as `Manilla.layerConfig()` of
 * `@manilla/token`.
 *
 * @example
 * import * as Catalogue from "@manilla/catalogue/Catalogue"
 * import * as Effect from "effect/Effect"
 *
 * const methods = Effect.gen(function* () {
 *   const catalogue = yield* Catalogue.Catalogue
 *   return yield* catalogue.available({ country: "BJ", currency: "XOF", operation: "COLLECTION" })
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Catalogue, never, Gateway.Gateway> = Layer.effect(Catalogue, make)
