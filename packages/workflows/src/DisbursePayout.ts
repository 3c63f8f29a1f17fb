/**
 * Pays a beneficiary as a durable workflow: creates the payout, and waits until its status is final,
 * however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Polling from "@manilla/core/Polling"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Durable from "./Durable.js"
import { create, earlier } from "./internal/create.js"
import { keyed } from "./internal/keyed.js"
import { notYet, stillPending } from "./internal/stillPending.js"

/**
 * The workflow. Its key is the one that `disburse` would send: each continues the other's payment, the workflow with
 * `sentMillis` if the outcome of `disburse` is unknown. Start again under another key only if `Errors.outcome` of its error is
 * `notApplied`.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 *
 * const payout = DisbursePayout.workflow.execute({
 *   key: IdempotencyKey.derive("payroll", "2026-11", "E007"),
 *   wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
 *   amount: "250000",
 *   currency: "XOF",
 *   country: "BJ",
 *   payment_method: "mtn_momo",
 *   destination: "+2290161234567"
 * })
 *
 * @since 0.1.0
 * @category workflows
 */
export const workflow = keyed(
  Workflow.make({
    name: "Manilla/DisbursePayout/2",
    payload: {
      key: IdempotencyKey.IdempotencyKey,
      ...Payout.PayoutRequest.fields,
      ...earlier,
      /** Of the payout, if it was created before. */
      reference: Schema.optional(Payout.PayoutReference)
    },
    success: Payout.Payout,
    error: Schema.Union(Durable.WriteError, Payouts.PayoutStillPending),
    idempotencyKey: ({ key }) => key
  })
)

const operation = "Payouts.disburse"

const sensitive = Sensitive.values(workflow.payloadSchema)

const body = (payload: typeof workflow.payloadSchema.Type) =>
  Effect.gen(function* () {
    const { key, reference, sentMillis, ...request } = payload
    const payouts = yield* Payouts.Payouts
    const { id, resource, shown } = yield* create({
      operation,
      key,
      by: "reference",
      id: Payout.PayoutReference,
      resource: Payout.CreatedPayout,
      call: (options) => payouts.create(request, options),
      sentMillis,
      known: reference
    })
    if (resource !== undefined && Polling.isFinal(resource)) return resource
    return yield* Durable.pollUntil({
      name: "final",
      success: Payout.Payout,
      failure: Errors.ReadError,
      look: (policy) =>
        payouts
          .awaitFinal(id, policy)
          .pipe(
            Sensitive.redacting(sensitive(payload)),
            Effect.asSome,
            Effect.catchTag("PayoutStillPending", notYet)
          ),
      expired: (waited, cause) =>
        new Payouts.PayoutStillPending({
          reference: Payout.makeReference(shown),
          ...stillPending(operation, shown, waited, cause)
        })
    })
  })

/**
 * A layer that runs the workflow. `Policy.layer` changes its pauses and deadlines.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, Payouts.Payouts | WorkflowEngine.WorkflowEngine> =
  workflow.toLayer(body)
