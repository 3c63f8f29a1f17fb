/**
 * Watches a payment link as a durable workflow, until it is used up or no longer active, however long that
 * takes and however often the process dies. It reads only: the link is created before.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Durable from "./Durable.js"
import { Key } from "./internal/key.js"
import { keyed } from "./internal/keyed.js"
import { notYet, stillPending } from "./internal/stillPending.js"

/**
 * The workflow. The interface does not define the transitions of a link, nor what a use is: an `INACTIVE` link is not
 * necessarily paid. Compare `use_count`, and read the transactions before you deliver.
 *
 * It fails with `PaymentLinkStillActive` after the deadline of the policy's `wait`, 30 days by default. The `cause` is
 * the error of the last look, if that failed.
 *
 * @example
 * import type * as PaymentLink from "@manilla/payment-links/PaymentLink"
 * import * as PaymentLinkWatch from "@manilla/workflows/PaymentLinkWatch"
 * import * as Effect from "effect/Effect"
 *
 * const firstUse = (link: PaymentLink.PaymentLink) =>
 *   Effect.map(
 *     PaymentLinkWatch.workflow.execute({ key: "order-42", id: link.id, uses: 1 }),
 *     ({ status, use_count = 0 }) => (use_count >= 1 ? "used" : status)
 *   )
 *
 * @since 0.1.0
 * @category workflows
 */
export const workflow = keyed(
  Workflow.make({
    name: "Manilla/PaymentLinkWatch/2",
    payload: {
      /** The name of the watch, under which it is found. */
      key: Key,
      id: PaymentLink.PaymentLinkId,
      /** The watch ends when `use_count` has this value; by default, the `max_uses` of the link. */
      uses: Schema.optional(
        Schema.Int.pipe(
          Schema.greaterThanOrEqualTo(1, { description: "a whole number that is at least 1" })
        )
      )
    },
    success: PaymentLink.PaymentLinkDetail,
    error: Schema.Union(PaymentLinks.PaymentLinkStillActive, Execution.ExecutionCancelled),
    idempotencyKey: ({ key }) => key
  })
)

const operation = "PaymentLinks.watch"

const body = ({ id, uses }: typeof workflow.payloadSchema.Type) =>
  Effect.gen(function* () {
    const links = yield* PaymentLinks.PaymentLinks
    const isOver = ({ max_uses, status, use_count = 0 }: PaymentLink.PaymentLinkDetail) =>
      status !== "ACTIVE" || use_count >= (uses ?? max_uses ?? Infinity)
    return yield* Durable.pollUntil({
      name: "over",
      success: PaymentLink.PaymentLinkDetail,
      failure: Errors.ReadError,
      look: (policy) =>
        links
          .awaitFinal(id, { ...policy, until: isOver })
          .pipe(Effect.asSome, Effect.catchTag("PaymentLinkStillActive", notYet)),
      expired: (waited, cause) =>
        new PaymentLinks.PaymentLinkStillActive({
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
export const layer: Layer.Layer<
  never,
  never,
  PaymentLinks.PaymentLinks | WorkflowEngine.WorkflowEngine
> = workflow.toLayer(body)
