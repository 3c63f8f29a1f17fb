/**
 * The wire format of the payment operations.
 *
 * @since 0.1.0
 */
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as Operation from "@manilla/core/Operation"
import * as Schema from "effect/Schema"
import * as PaymentIntent from "./PaymentIntent.js"

/**
 * `POST /payments`: creates a payment intent.
 *
 * @since 0.1.0
 * @category operations
 */
export const create = Operation.keyed({
  method: "POST",
  path: "/payments",
  summary: "Create a payment intent",
  access: "payments.write",
  headers: Schema.Struct({
    "idempotency-key": IdempotencyKey.IdempotencyKey,
    "x-correlation-id": Schema.optional(Identifier.CorrelationId)
  }),
  payload: PaymentIntent.PaymentIntentRequest,
  success: PaymentIntent.CreatedPaymentIntent,
  status: 201,
  errors: [401, 403, 422],
  key: { header: "idempotency-key" },
  checks: {
    members: [
      { field: "amount", as: "amount" },
      { field: "currency", as: "code" },
      { field: "operation", as: "kind" }
    ]
  }
})

/**
 * `GET /payments/{paymentIntent}`: reads a payment intent by its id.
 *
 * @since 0.1.0
 * @category operations
 */
export const get = Operation.safe({
  method: "GET",
  path: "/payments/:paymentIntent",
  summary: "Read a payment intent",
  access: "payments.read",
  pathParams: Schema.Struct({ paymentIntent: PaymentIntent.PaymentIntentId }),
  success: PaymentIntent.PaymentIntent
})

/**
 * The type of {@link group}.
 *
 * @since 0.1.0
 * @category groups
 */
export interface PaymentsGroup extends Operation.Group<
  "Payments",
  {
    readonly create: typeof create
    readonly get: typeof get
  }
> {}

/**
 * The payment operations.
 *
 * @since 0.1.0
 * @category groups
 */
export const group: PaymentsGroup = Operation.group("Payments", { create, get })
