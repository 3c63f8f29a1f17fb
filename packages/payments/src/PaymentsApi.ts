/**
 * The payment operations as they are on the wire (interface sections 4.1 and 4.2).
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Envelope from "@manilla/core/Envelope"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import * as PaymentIntent from "./PaymentIntent.js"

/**
 * `POST /payments`: creates a payment intent.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const create = Operation.keyed(
  HttpApiEndpoint.post("create", "/payments")
    .setHeaders(
      Schema.Struct({
        "idempotency-key": IdempotencyKey.IdempotencyKey,
        "x-correlation-id": Schema.optional(Identifier.CorrelationId)
      })
    )
    .setPayload(PaymentIntent.PaymentIntentRequest)
    .addSuccess(Envelope.Success(PaymentIntent.CreatedPaymentIntent), { status: 201 })
    .addError(Envelope.Failure, { status: Errors.Unauthorized.status })
    .addError(Envelope.Failure, { status: Errors.Forbidden.status })
    .addError(Envelope.Failure, { status: Errors.Unprocessable.status })
    .annotate(OpenApi.Summary, "Create a payment intent"),
  "payments.write",
  { in: "header", name: "idempotency-key" },
  {
    echoes: [
      { field: "amount", as: "amount" },
      { field: "currency", as: "code" },
      { field: "country", as: "code" },
      { field: "operation", as: "code" }
    ]
  }
)

/**
 * `GET /payments/{paymentIntent}`: reads a payment intent by its id.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const get = Operation.safe(
  HttpApiEndpoint.get("get", "/payments/:paymentIntent")
    .setPath(Schema.Struct({ paymentIntent: PaymentIntent.PaymentIntentId }))
    .addSuccess(Envelope.Success(PaymentIntent.PaymentIntent))
    .annotate(OpenApi.Summary, "Read a payment intent"),
  "payments.read"
)

/**
 * @since 0.1.0
 * @category groups
 */
export const group = HttpApiGroup.make("Payments").add(create).add(get)
