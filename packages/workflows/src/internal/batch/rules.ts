import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Polling from "@manilla/core/Polling"
import * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
import { exitJson } from "@manilla/workflow-engine/Encoding"
import { isStorable } from "@manilla/workflow-engine/Text"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as DisbursePayout from "../../DisbursePayout.js"
import { isOfOtherRequest, isWorthRepeating } from "../../Doubt.js"

/** The name of the workflow of a batch. */
export const workflowName = "Manilla/PayoutBatch/2"

/** Different pairs of keys give different business keys, which are within the limit of a business key. */
export const businessKey = (
  batchKey: string,
  key: string
): Effect.Effect<IdempotencyKey.IdempotencyKey> =>
  IdempotencyKey.deriveLong("PayoutBatch", batchKey, key)

/** The end of an item, as it is stored. */
const End = exitJson(Payout.Payout, DisbursePayout.workflow.errorSchema)
type End = typeof End.Type

export const decodeEnd = Schema.decode(End)
const encode = Schema.encodeSync(End)

/** The new state of an item. */
export type Result = Omit<Batches.Change, "number">

const ended = (state: Batches.State, exit: End): Result => ({ state, result: encode(exit) })

const afterFinal = (payout: Payout.Payout): Result =>
  ended(payout.status === "COMPLETED" ? "completed" : "notCompleted", Exit.succeed(payout))

/**
 * PostgreSQL cannot store some references, such as one with NUL. The item is then in doubt: its execution sends the same
 * request again, and gets the reference from the response.
 */
const createdAs = (reference: string): Result =>
  isStorable(reference) ? { state: "created", reference } : { state: "unknown" }

/** After the only request of an item. A defect says nothing about its outcome. */
export const afterRequest = (
  exit: Exit.Exit<Payout.CreatedPayout, Errors.KeyedWriteError>
): Result => {
  if (Exit.isSuccess(exit)) {
    return Polling.isFinal(exit.value) ? afterFinal(exit.value) : createdAs(exit.value.reference)
  }
  const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
  if (error === undefined || error._tag === "OutcomeUnknown") return { state: "unknown" }
  if (error._tag === "AppliedUnreadable" && Schema.is(Payout.PayoutReference)(error.reference)) {
    return createdAs(error.reference)
  }
  if (Errors.outcome(error) !== "notApplied" || isOfOtherRequest(error)) {
    return ended("inDoubt", Exit.fail(error))
  }
  return isWorthRepeating(error) ? { state: "waiting" } : ended("failed", Exit.fail(error))
}

/** After a look at a payout that exists. */
export const afterLook = (exit: Exit.Exit<Payout.Payout, unknown>): Result =>
  Exit.match(exit, { onSuccess: afterFinal, onFailure: () => ({ state: "pending" }) })

/**
 * After the execution of `DisbursePayout` of an item. A request may have been applied before it, so that no error
 * shows that nothing was paid.
 */
export const afterExecution = (exit: End): Result =>
  Exit.match(exit, { onSuccess: afterFinal, onFailure: () => ended("inDoubt", exit) })
