/**
 * Collects a payment as a durable workflow: creates the payment intent, and waits until its status is
 * final, however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Durable from "./Durable.js"
import type * as Engine from "./Engine.js"
import { createAndAwait } from "./internal/createAndAwait.js"
import type * as Operator from "./Operator.js"
import type * as Policy from "./Policy.js"

/**
 * The body of `POST /payments` without its `operation`, which is `COLLECTION`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CollectRequest = PaymentIntent.PaymentIntentRequest.omit("operation")

/**
 * @since 0.1.0
 * @category models
 */
export interface CollectRequest extends Omit<PaymentIntent.PaymentIntentRequest, "operation"> {}

/**
 * The errors of an execution. `Errors.outcome` tells whether the payment
 * intent was created. Start again under another business key only if it was not.
 *
 * @since 0.1.0
 * @category errors
 */
export const CollectError = Schema.Union(Durable.WriteError, Payments.PaymentStillPending)

/**
 * @since 0.1.0
 * @category errors
 */
export type CollectError = typeof CollectError.Type

/**
 * Starts and operates collections by business key.
 *
 * @since 0.1.0
 * @category services
 */
export class CollectPayment extends Context.Tag("@manilla/workflows/CollectPayment")<
  CollectPayment,
  Operator.Service<CollectRequest, PaymentIntent.PaymentIntent, CollectError>
>() {}

const operation = "Payments.collect"

const definition = {
  name: "Manilla/CollectPayment/1",
  payload: CollectRequest,
  success: PaymentIntent.PaymentIntent,
  error: CollectError,
  body: (request: CollectRequest) =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      return yield* createAndAwait({
        operation,
        by: "id",
        id: PaymentIntent.PaymentIntentId,
        created: PaymentIntent.PaymentIntent,
        success: PaymentIntent.PaymentIntent,
        create: (options) => payments.create({ ...request, operation: "COLLECTION" }, options),
        look: (id, policy) =>
          payments.awaitFinal(id, policy).pipe(
            Effect.asSome,
            Effect.catchTag("PaymentStillPending", () => Effect.succeedNone)
          ),
        expired: ({ id }, fields) => new Payments.PaymentStillPending({ id, ...fields })
      })
    })
}

/**
 * A layer that runs the workflow and provides `CollectPayment`. A part that the policy leaves out has its default.
 *
 * @example
 * import * as CollectPayment from "@manilla/workflows/CollectPayment"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const payments = yield* CollectPayment.CollectPayment
 *   yield* payments.start("order-42", {
 *     country: "BJ",
 *     amount: "1500",
 *     currency: "XOF",
 *     payment_method: "mtn_momo",
 *     payer: { phone_number: "+2290100000000" }
 *   })
 *   return yield* payments.await("order-42")
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  policy?: Partial<Policy.Policy>
): Layer.Layer<
  CollectPayment,
  Durable.LayerError,
  Payments.Payments | Engine.Engine | WorkflowEngine.WorkflowEngine
> => Durable.layer(CollectPayment, definition, policy)
