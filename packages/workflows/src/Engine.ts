/**
 * The engine that workflows run on: Effect's `WorkflowEngine`, and a store in which executions are found
 * by business key. `@manilla/workflows/memory`, `@manilla/workflows/sqlite` and
 * `@manilla/workflows/postgres` have its layers.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Execution from "./Execution.js"

/**
 * Finds an execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface Name {
  readonly workflow: string
  readonly businessKey: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Stores a new execution, and returns the stored one: an earlier one under the same name stays. */
  readonly insert: (
    execution: Execution.Execution
  ) => Effect.Effect<Execution.Execution, Execution.StorageError>

  readonly find: (
    name: Name
  ) => Effect.Effect<Option.Option<Execution.Execution>, Execution.StorageError>

  /** Replaces an execution by a function of its stored value, atomically. */
  readonly modify: <A>(
    name: Name,
    change: (execution: Execution.Execution) => readonly [A, Execution.Execution]
  ) => Effect.Effect<Option.Option<A>, Execution.StorageError>

  /** Executions that have not ended and were due before a moment, the earliest first. */
  readonly overdue: (
    workflow: string,
    beforeMillis: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Execution.Execution>, Execution.StorageError>

  /** Makes the engine read the messages of an execution again, also those that it has read but not handled. */
  readonly nudge: (workflow: string, executionId: string) => Effect.Effect<void>
}

/**
 * @since 0.1.0
 * @category services
 */
export class Engine extends Context.Tag("@manilla/workflows/Engine")<Engine, Service>() {}
