export * as AvailableService from "./AvailableService.js"
export * as Catalogue from "./Catalogue.js"
export * as CatalogueApi from "./CatalogueApi.js"
