import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Execution from "../../Execution.js"
import type * as store from "./store.js"
import * as transitions from "./transitions.js"

/** Why an execution does not start. For `execute`, which has no such errors, they are defects. */
export type StartError =
  | Execution.InvalidPayload
  | Execution.PayloadMismatch
  | Execution.UnreadablePayload
  | Execution.ExecutionPurged
  | Execution.StorageError

/** The state of an execution, without what may be personal data and what only the engine needs. */
export const toStatus = (execution: Execution.Execution): Execution.Status => ({
  ...Struct.omit(execution, "payload", "exit", "parent", "runner", "clocks", "wakes"),
  state: execution.end?.state ?? (execution.pause === undefined ? "Running" : "Waiting")
})

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

/** The executions that a filter selects, read in pages. */
export const pages = ({ list }: store.Store, filter: store.Filter, most = Infinity) => {
  const size = Math.min(most, 1_000)
  return Stream.paginateChunkEffect(undefined, (after: store.Cursor | undefined) =>
    Effect.map(list(filter, after, size), (page) => [
      Chunk.unsafeFromArray(page),
      page.length < size ? Option.none() : Arr.last(page)
    ])
  )
}

/** Deletes the steps, the payload and the result of an execution that has ended. */
export const purge = ({ forget, modify }: store.Store, { executionId }: Execution.Execution) =>
  // In this order, so that a crash in between leaves nothing behind.
  Effect.zipRight(forget(executionId), modify(executionId, transitions.purged))
