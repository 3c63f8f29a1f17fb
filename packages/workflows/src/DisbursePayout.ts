/**
 * Pays a beneficiary as a durable workflow: creates the payout, and waits until its status is final,
 * however long that takes and however often the process dies.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import * as Polling from "@manilla/core/Polling"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
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
 * The errors of an execution. `Errors.outcome` tells whether the payout
 * was created. Start again under another business key only if it was not.
 *
 * @since 0.1.0
 * @category errors
 */
export type DisburseError =
  Errors.KeyedWriteError | Payouts.PayoutStillPending | Execution.ExecutionCancelled

/**
 * @since 0.1.0
 * @category services
 */
export class DisbursePayout extends Context.Tag("@manilla/workflows/DisbursePayout")<
  DisbursePayout,
  Operator.Service<Payout.PayoutRequest, Payout.Payout, DisburseError>
>() {}

const definition = {
  name: "Manilla/DisbursePayout/1",
  operation: "Payouts.disburse",
  request: Payout.PayoutRequest,
  resource: Payout.Payout,
  stillPending: Payouts.PayoutStillPending,
  idOf: ({ reference }) => reference,
  create: (request, key) =>
    Effect.flatMap(Payouts.Payouts, (payouts) => payouts.create(request, { key })),
  wait: {
    look: ({ reference }, policy) =>
      Effect.flatMap(Payouts.Payouts, (payouts) => payouts.awaitFinal(reference, policy)),
    stillPending: (last, message, cause) =>
      new Payouts.PayoutStillPending({
        reference: last.reference,
        operation: "DisbursePayout",
        message,
        last,
        cause
      }),
    isFinal: Polling.isFinal
  }
} satisfies Definition<
  Payout.PayoutRequest,
  typeof Payout.PayoutRequest.Encoded,
  Payout.Payout,
  typeof Payout.Payout.Encoded,
  Payouts.PayoutStillPending,
  typeof Payouts.PayoutStillPending.Encoded,
  Payouts.Payouts
>

/**
 * @example
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const payouts = yield* DisbursePayout.DisbursePayout
 *   yield* payouts.start("payroll:2026-11:E007", {
 *     wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
 *     amount: "250000",
 *     currency: "XOF",
 *     country: "BJ",
 *     payment_method: "mtn_momo",
 *     destination: "+2290161234567"
 *   })
 *   return yield* payouts.await("payroll:2026-11:E007")
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  policy?: Partial<Policy.Policy>
): Layer.Layer<
  DisbursePayout,
  never,
  Payouts.Payouts | Engine.Engine | WorkflowEngine.WorkflowEngine
> => operator.layer(DisbursePayout, definition, policy)
