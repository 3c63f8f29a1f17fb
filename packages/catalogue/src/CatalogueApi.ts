/**
 * The catalogue's operation as it is on the wire (interface section 4.15).
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Envelope from "@manilla/core/Envelope"
import * as Operation from "@manilla/core/Operation"
import { ServiceList } from "./AvailableService.js"

/**
 * `GET /services`: lists the available services. The interface does not show which scope it needs.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const list = Operation.safe(
  HttpApiEndpoint.get("list", "/services")
    .addSuccess(Envelope.Success(ServiceList))
    .annotate(OpenApi.Summary, "List the available services"),
  "bearer"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Catalogue").add(list)
