/**
 * Entries of the service catalogue (interface section 2.9).
 *
 * @since 0.1.0
 */
export * as AvailableService from "./AvailableService.js"

/**
 * The service catalogue: available countries, currencies, operations and payment methods.
 *
 * @since 0.1.0
 */
export * as Catalogue from "./Catalogue.js"

/**
 * The wire format of the catalogue operation (interface section 4.15).
 *
 * @since 0.1.0
 */
export * as CatalogueApi from "./CatalogueApi.js"
