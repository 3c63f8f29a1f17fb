/**
 * Collects a payment as a durable workflow: creates the payment intent, and waits until its status is
 * final, however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Polling from "@manilla/core/Polling"
import * as Sensitive from "@manilla/core/Sensitive"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Durable from "./Durable.js"
import { create, earlier } from "./internal/create.js"
import { keyed } from "./internal/keyed.js"
import { notYet, stillPending } from "./internal/stillPending.js"

/**
 * The workflow. Its key is the one that `collect` would send: each continues the other's payment, the workflow with
 * `sentMillis` if the outcome of `collect` is unknown. Start again under another key only if `Errors.outcome` of its error is
 * `notApplied`.
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
export const workflow = keyed(
  Workflow.make({
    name: "Manilla/CollectPayment/2",
    payload: {
      key: IdempotencyKey.IdempotencyKey,
      ...PaymentIntent.PaymentIntentRequest.omit("operation").fields,
      ...earlier
    },
    success: PaymentIntent.PaymentIntent,
    error: Schema.Union(Durable.WriteError, Payments.PaymentStillPending),
    idempotencyKey: ({ key }) => key
  })
)

const operation = "Payments.collect"

const sensitive = Sensitive.values(workflow.payloadSchema)

const body = (payload: typeof workflow.payloadSchema.Type) =>
  Effect.gen(function* () {
    const { key, sentMillis, ...request } = payload
    const payments = yield* Payments.Payments
    const { id, resource } = yield* create({
      operation,
      key,
      by: "id",
      id: PaymentIntent.PaymentIntentId,
      resource: PaymentIntent.PaymentIntent,
      sentMillis,
      call: (options) => payments.create({ ...request, operation: "COLLECTION" }, options)
    })
    if (resource !== undefined && Polling.isFinal(resource)) return resource
    return yield* Durable.pollUntil({
      name: "final",
      success: PaymentIntent.PaymentIntent,
      failure: Errors.ReadError,
      look: (policy) =>
        payments
          .awaitFinal(id, policy)
          .pipe(
            Sensitive.redacting(sensitive(payload)),
            Effect.asSome,
            Effect.catchTag("PaymentStillPending", notYet)
          ),
      expired: (waited, cause) =>
        new Payments.PaymentStillPending({
          id,
          ...stillPending(operation, id, waited, cause)
        })
    })
  })

/**
 * A layer that runs the workflow. `Policy.layer` changes its pauses and deadlines.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, Payments.Payments | WorkflowEngine.WorkflowEngine> =
  workflow.toLayer(body)
