import type * as Payouts from "@manilla/payouts/Payouts"
import type * as Operator from "@manilla/workflow-engine/Operator"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Effect from "effect/Effect"
import type * as DisbursePayout from "../../DisbursePayout.js"
import type * as Policy from "../../Policy.js"

/**
 * An owner of a batch: in its epoch, no other process changes the items, so that each of its operations may be
 * repeated.
 */
export interface Owner {
  readonly batchKey: string
  readonly epoch: number
  readonly concurrency: number
  readonly look: Policy.Policy["look"]
  readonly payouts: Payouts.Service
  readonly engine: Store.Store
  /** The batches of a process look at their handed-over items in turns. */
  readonly turns: Effect.Semaphore
  readonly disburse: Operator.Operator<
    typeof DisbursePayout.workflow.payloadSchema.Type,
    unknown,
    unknown
  >
}

/** Logs a defect, and runs the effect again: a batch must not end because of it, and nobody would send the rest. */
export const afterDefects =
  (where: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAllDefect(effect, (defect) =>
      Effect.zipRight(
        Effect.logError(`A defect in ${where}`, defect),
        Effect.delay(afterDefects(where)(effect), "1 second")
      )
    )
