import * as Effect from "effect/Effect"
import type * as store from "./store.js"
import type * as Execution from "../Execution.js"

/** Deletes what is stored of an execution that has ended, unless the engine has no result of it yet. */
export const purge = (
  engine: Pick<store.Store, "forget" | "modify">,
  execution: Execution.Execution
): Effect.Effect<boolean, Execution.StorageError> =>
  Effect.gen(function* () {
    // In this order, so that a crash in between leaves nothing behind.
    if (!(yield* engine.forget(execution))) return false
    yield* engine.modify(execution.executionId, (stored) => [
      undefined,
      { ...stored, payload: "", begun: {}, isPurged: true }
    ])
    return true
  })
