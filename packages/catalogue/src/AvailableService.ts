/**
 * Entries of the service catalogue.
 *
 * @since 0.1.0
 */
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Environment from "@manilla/core/Environment"
import * as OperationKind from "@manilla/core/OperationKind"
import * as Schema from "effect/Schema"

/**
 * An entry of the catalogue: an operation with a payment method in a country and currency.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AvailableService = Schema.Struct({
  country: Schema.Struct({ code: Country.Country, name: Schema.optional(Schema.String) }),
  currency: Schema.Struct({ code: Currency.Currency, name: Schema.optional(Schema.String) }),
  operation: OperationKind.OperationKind,
  payment_method: Schema.String,
  available: Schema.Boolean
}).annotations({ identifier: "AvailableService" })

/**
 * @since 0.1.0
 * @category models
 */
export interface AvailableService extends Schema.Schema.Type<typeof AvailableService> {}

/**
 * The catalogue, which depends on the application's environment and the availability of providers.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ServiceList = Schema.Struct({
  environment: Schema.optional(Environment.Environment),
  services: Schema.Array(AvailableService)
}).annotations({ identifier: "ServiceList" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ServiceList extends Schema.Schema.Type<typeof ServiceList> {}
