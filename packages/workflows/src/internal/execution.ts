import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Execution from "../Execution.js"

export const isStorageError = (error: { readonly _tag: string }): error is Execution.StorageError =>
  error._tag === "StorageError"

/** Fails if the payload and the result were deleted. */
export const unlessPurged = (
  execution: Execution.Execution
): Effect.Effect<Execution.Execution, Execution.ExecutionPurged> => {
  const { businessKey, end, isPurged, workflow } = execution
  return isPurged && end !== undefined
    ? Effect.fail(
        new Execution.ExecutionPurged({
          workflow,
          businessKey,
          state: end.state,
          endedMillis: end.atMillis
        })
      )
    : Effect.succeed(execution)
}

/** The time at which an execution is due of which nobody knows when it is. */
export const never = Number.MAX_SAFE_INTEGER

/** Whether no block has run yet, or the body uses none. */
export const isUntouched = ({ begun, dueMillis, pause, startedMillis }: Execution.Execution) =>
  Record.isEmptyRecord(begun) &&
  pause === undefined &&
  (dueMillis === startedMillis || dueMillis === never)

/** The pause of an execution whose payload does not fit its schema. */
export const unreadable = "its payload does not fit its schema"
