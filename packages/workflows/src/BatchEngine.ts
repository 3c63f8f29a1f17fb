/**
 * The engine beneath batches of payouts: a table of their items, and executions that it starts and finds. The engines of
 * `@manilla/workflow-engine` are one. For another engine, such as DBOS, provide `BatchEngine` to `PayoutBatch.layerOn`.
 *
 * @since 0.1.0
 */
import type * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
import type * as Execution from "@manilla/workflow-engine/Execution"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import type * as Batch from "./Batch.js"
import type * as DisbursePayout from "./DisbursePayout.js"

type Schemas = (typeof DisbursePayout.workflow)["payloadSchema"]

/**
 * An execution of `DisbursePayout`, as a batch sees it.
 *
 * @since 0.1.0
 * @category models
 */
export interface PayoutExecution {
  /** The payload with which it was started. Undefined: it was purged, with its end. */
  readonly payload: Schemas["Encoded"] | undefined
  /** Its end. Undefined: it has not ended. */
  readonly end:
    Exit.Exit<Payout.Payout, typeof DisbursePayout.workflow.errorSchema.Type> | undefined
  /**
   * Whether it is known that its payout exists. An item in doubt whose payout exists is no longer in doubt. An engine that
   * does not know leaves it out: the item stays in doubt until the execution ends.
   */
  readonly isCreated?: boolean | undefined
  /**
   * A sentence that says why the engine beneath stopped before the end, and the remedy. The item stays open: its payout
   * may exist. `PayoutBatch.await` fails with `BatchStopped` once no other item is under way.
   */
  readonly stopped?: string | undefined
  /** Reads what the service said last, and when the request is sent again, if the engine can tell. */
  readonly doubt?: Effect.Effect<Omit<Batch.Doubt, "key">, Execution.StorageError> | undefined
}

/**
 * The members of a batch engine. A defect of one is logged, and the batch tries again, except for those of `startBatch`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** The same table in every life and every process of a batch: see `batches` of the modules of `@manilla/workflow-engine`. */
  readonly batches: Batches.Service
  /** Starts the execution of `PayoutBatch.workflow` with this key, or finds it. Returns once it is stored. */
  readonly startBatch: (payload: {
    readonly key: string
  }) => Effect.Effect<unknown, Execution.StartError>
  /** Finds that execution, and why the engine beneath has stopped it, if it has. */
  readonly findBatch: (
    key: string
  ) => Effect.Effect<Option.Option<Pick<PayoutExecution, "stopped">>, Execution.StorageError>
  /** Starts an execution of `DisbursePayout.workflow`, or finds it. Returns once it is stored. */
  readonly startPayout: (payload: Schemas["Type"]) => Effect.Effect<unknown, Execution.StartError>
  /** Finds the execution of `DisbursePayout.workflow` with a key, also after its end. */
  readonly findPayout: (
    key: string
  ) => Effect.Effect<Option.Option<PayoutExecution>, Execution.StorageError>
}

/**
 * The engine beneath batches.
 *
 * @since 0.1.0
 * @category services
 */
export class BatchEngine extends Context.Tag("@manilla/workflows/BatchEngine")<
  BatchEngine,
  Service
>() {}
