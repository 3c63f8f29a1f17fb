/**
 * The wire format of the catalogue operation.
 *
 * @since 0.1.0
 */
import * as Operation from "@manilla/core/Operation"
import { ServiceList } from "./AvailableService.js"

/**
 * `GET /services`: lists the available services. The interface does not state its scope.
 *
 * @since 0.1.0
 * @category operations
 */
export const list = Operation.safe({
  method: "GET",
  path: "/services",
  summary: "List the available services",
  access: "bearer",
  success: ServiceList
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface CatalogueGroup extends Operation.Group<
  "Catalogue",
  {
    readonly list: typeof list
  }
> {}

/**
 * The catalogue operation.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: CatalogueGroup = Operation.group("Catalogue", { list })
