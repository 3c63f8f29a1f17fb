import * as Effect from "effect/Effect"
import type * as Execution from "../../Execution.js"
import type * as store from "./store.js"
import * as transitions from "./transitions.js"

/** Deletes the steps, the payload and the result of an execution that has ended. */
export const purge = (
  { forget, modify }: store.Store,
  { executionId }: Execution.Execution
): Effect.Effect<void, Execution.StorageError> =>
  // In this order, so that a crash in between leaves nothing behind.
  Effect.zipRight(
    forget(executionId),
    modify(executionId, (stored) => [undefined, transitions.purged(stored)])
  )
