/**
 * The refund operation as it is on the wire (interface section 4.7).
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Envelope from "@manilla/core/Envelope"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import * as Refund from "./Refund.js"

/**
 * `GET /refunds/{reference}`: reads a refund.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const get = Operation.safe(
  HttpApiEndpoint.get("get", "/refunds/:reference")
    .setPath(Schema.Struct({ reference: Refund.RefundReference }))
    .addSuccess(Envelope.Success(Refund.Refund))
    .annotate(OpenApi.Summary, "Read a refund"),
  "refunds.read"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Refunds").add(get)
