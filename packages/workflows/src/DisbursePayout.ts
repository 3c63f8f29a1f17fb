/**
 * Pays a beneficiary as a durable workflow: creates the payout, and waits until its status is final,
 * however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Durable from "./Durable.js"
import { createAndAwait } from "./internal/createAndAwait.js"
import * as Policy from "./Policy.js"

/**
 * The errors of an execution. `Errors.outcome` tells whether the payout
 * was created. Start again under another key only if it was not.
 *
 * @since 0.1.0
 * @category errors
 */
export const DisburseError = Schema.Union(Durable.WriteError, Payouts.PayoutStillPending)

/**
 * @since 0.1.0
 * @category errors
 */
export type DisburseError = typeof DisburseError.Type

/**
 * The key, the payout, and what was done before the execution. `sentMillis`: when its request may have been sent, with the
 * key of the execution; no refusal then shows that nothing was paid. `reference`: it was created.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Payload = Schema.Struct({
  key: IdempotencyKey.IdempotencyKey,
  ...Payout.PayoutRequest.fields,
  sentMillis: Schema.optional(Schema.Number),
  reference: Schema.optional(Payout.PayoutReference)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Payload extends Schema.Schema.Type<typeof Payload> {}

/**
 * The workflow. Its payload has the key that `disburse` would send, so that each continues what the other has begun.
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
export const workflow = Workflow.make({
  name: "Manilla/DisbursePayout/2",
  payload: Payload,
  success: Payout.Payout,
  error: DisburseError,
  idempotencyKey: ({ key }) => key
})

const operation = "Payouts.disburse"

const body = ({ key, reference, sentMillis, ...request }: Payload) =>
  Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    return yield* createAndAwait({
      operation,
      key,
      by: "reference",
      sentMillis,
      known: reference,
      id: Payout.PayoutReference,
      created: Payout.CreatedPayout,
      success: Payout.Payout,
      create: (options) => payouts.create(request, options),
      look: (reference, policy) =>
        payouts.awaitFinal(reference, policy).pipe(
          Effect.asSome,
          Effect.catchTag("PayoutStillPending", () => Effect.succeedNone)
        ),
      expired: ({ shown }, fields) =>
        new Payouts.PayoutStillPending({ reference: Payout.makeReference(shown), ...fields })
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
): Layer.Layer<never, Policy.InvalidPolicy, Payouts.Payouts | WorkflowEngine.WorkflowEngine> =>
  Layer.provide(workflow.toLayer(body), Policy.layer(policy))
