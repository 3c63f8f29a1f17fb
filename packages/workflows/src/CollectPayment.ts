/**
 * Collects a payment as a durable workflow: creates the payment intent, and waits until its status is
 * final, however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import * as Polling from "@manilla/core/Polling"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Engine from "./Engine.js"
import type * as Execution from "./Execution.js"
import type { Definition } from "./internal/definition.js"
import * as operator from "./internal/operator.js"
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
export type CollectError =
  Errors.KeyedWriteError | Payments.PaymentStillPending | Execution.ExecutionCancelled

/**
 * @since 0.1.0
 * @category services
 */
export class CollectPayment extends Context.Tag("@manilla/workflows/CollectPayment")<
  CollectPayment,
  Operator.Service<CollectRequest, PaymentIntent.PaymentIntent, CollectError>
>() {}

const definition = {
  name: "Manilla/CollectPayment/1",
  operation: "Payments.collect",
  request: CollectRequest,
  resource: PaymentIntent.PaymentIntent,
  stillPending: Payments.PaymentStillPending,
  idOf: ({ id }) => id,
  create: (request, key) =>
    Effect.flatMap(Payments.Payments, (payments) =>
      payments.create({ ...request, operation: "COLLECTION" }, { key })
    ),
  wait: {
    look: ({ id }, policy) =>
      Effect.flatMap(Payments.Payments, (payments) => payments.awaitFinal(id, policy)),
    stillPending: (last, message, cause) =>
      new Payments.PaymentStillPending({
        id: last.id,
        operation: "CollectPayment",
        message,
        last,
        cause
      }),
    isFinal: Polling.isFinal
  }
} satisfies Definition<
  CollectRequest,
  typeof CollectRequest.Encoded,
  PaymentIntent.PaymentIntent,
  typeof PaymentIntent.PaymentIntent.Encoded,
  Payments.PaymentStillPending,
  typeof Payments.PaymentStillPending.Encoded,
  Payments.Payments
>

/**
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
  never,
  Payments.Payments | Engine.Engine | WorkflowEngine.WorkflowEngine
> => operator.layer(CollectPayment, definition, policy)
