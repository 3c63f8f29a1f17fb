/**
 * An entry of the service catalogue: one way to move money in one country (interface section 2.9).
 *
 * @since 0.1.0
 */
export * as AvailableService from "./AvailableService.js"

/**
 * What can be done where: countries, currencies, operations and payment methods.
 *
 * @since 0.1.0
 */
export * as Catalogue from "./Catalogue.js"

/**
 * The catalogue's operation as it is on the wire (interface section 4.15).
 *
 * @since 0.1.0
 */
export * as CatalogueApi from "./CatalogueApi.js"
