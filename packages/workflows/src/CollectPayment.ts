/**
 * Collects a payment as a durable workflow: creates the payment intent, and waits until its status is
 * final, however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Durable from "./Durable.js"
import { createAndAwait } from "./internal/createAndAwait.js"
import * as Policy from "./Policy.js"

/**
 * The key, and the body of `POST /payments` without its `operation`, which is `COLLECTION`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Payload = Schema.Struct({
  key: IdempotencyKey.IdempotencyKey,
  ...PaymentIntent.PaymentIntentRequest.omit("operation").fields
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Payload extends Schema.Schema.Type<typeof Payload> {}

/**
 * The errors of an execution. `Errors.outcome` tells whether the payment
 * intent was created. Start again under another key only if it was not.
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
 * The workflow. Its payload has the key that `collect` would send, so that each continues what the other has begun.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as CollectPayment from "@manilla/workflows/CollectPayment"
 *
 * const intent = CollectPayment.workflow.execute({
 *   key: IdempotencyKey.derive("order", "42"),
 *   country: "BJ",
 *   amount: "1500",
 *   currency: "XOF",
 *   payment_method: "mtn_momo",
 *   payer: { phone_number: "+2290100000000" }
 * })
 *
 * @since 0.1.0
 * @category workflows
 */
export const workflow = Workflow.make({
  name: "Manilla/CollectPayment/2",
  payload: Payload,
  success: PaymentIntent.PaymentIntent,
  error: CollectError,
  idempotencyKey: ({ key }) => key
})

const operation = "Payments.collect"

const body = ({ key, ...request }: Payload) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    return yield* createAndAwait({
      operation,
      key,
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

/**
 * A layer that runs the workflow. A part that the policy leaves out has its default.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  policy?: Partial<Policy.Policy>
): Layer.Layer<never, Policy.InvalidPolicy, Payments.Payments | WorkflowEngine.WorkflowEngine> =>
  Layer.provide(workflow.toLayer(body), Policy.layer(policy))
