/**
 * The payout operations as they are on the wire (interface sections 4.5 and 4.6). Which scopes they
 * need is not shown.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Envelope from "@manilla/core/Envelope"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import * as Payout from "./Payout.js"

/**
 * `POST /payouts`: creates a payout.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const create = Operation.keyed(
  HttpApiEndpoint.post("create", "/payouts")
    .setHeaders(Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }))
    .setPayload(Payout.PayoutRequest)
    .addSuccess(Envelope.Success(Payout.CreatedPayout))
    .annotate(OpenApi.Summary, "Create a payout"),
  "bearer",
  { in: "header", name: "idempotency-key" },
  {
    echoes: [
      { field: "amount", as: "amount" },
      { field: "currency", as: "code" },
      { field: "country", as: "code" },
      { field: "wallet_id", as: "code" },
      { field: "destination", as: "phone" }
    ]
  }
)

/**
 * `GET /payouts/{reference}`: reads a payout.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const get = Operation.safe(
  HttpApiEndpoint.get("get", "/payouts/:reference")
    .setPath(Schema.Struct({ reference: Payout.PayoutReference }))
    .addSuccess(Envelope.Success(Payout.Payout))
    .annotate(OpenApi.Summary, "Read a payout"),
  "bearer"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Payouts").add(create).add(get)
