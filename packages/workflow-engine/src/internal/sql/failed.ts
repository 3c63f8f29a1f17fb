import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Execution from "../../Execution.js"
import type * as Store from "../../Store.js"

/** Says what a statement that failed was for. */
export const failed =
  (operation: string, name?: Store.Name) =>
  <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, Execution.StorageError> =>
    Effect.mapError(
      effect,
      (cause) =>
        new Execution.StorageError({
          operation,
          workflow: name?.workflow,
          businessKey: name?.businessKey,
          cause
        })
    )
