/**
 * The engine that workflows run on: Effect's `WorkflowEngine`, and a store in which executions are found
 * by business key. `@manilla/workflow-engine/memory`, `@manilla/workflow-engine/sqlite` and
 * `@manilla/workflow-engine/postgres` have its layers.
 *
 * @since 0.1.0
 */
import type * as Workflow from "@effect/workflow/Workflow"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Execution, StartError, StorageError } from "./Execution.js"
import { rootMessage } from "./internal/rootMessage.js"
import type { Store } from "./Store.js"

/**
 * A later version of this package has made the tables of the database, or one before its first layout. Nothing was changed
 * in the database, and nothing was started.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedSchema extends Schema.TaggedError<UnsupportedSchema>(
  "@manilla/workflow-engine/UnsupportedSchema"
)("UnsupportedSchema", {
  /** The file, or the name of the database. */
  database: Schema.String,
  /** The layout of its tables. */
  stored: Schema.Int,
  supported: Schema.Int
}) {
  override get message(): string {
    const remedy =
      this.stored > this.supported
        ? "Use the version of @manilla/workflow-engine that made them, or a later one."
        : "A process of this version that runs workflows brings tables of version 5 or later up to date: start one, or use another database."
    return `${this.database}: the tables have schema version ${this.stored}, and this version of @manilla/workflow-engine has schema version ${this.supported}. Nothing was changed. ${remedy}`
  }
}

/**
 * The database cannot be used: its file cannot be opened, it does not respond, is read-only or refuses its user.
 *
 * @since 0.1.0
 * @category errors
 */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>(
  "@manilla/workflow-engine/DatabaseUnavailable"
)("DatabaseUnavailable", {
  /** The file, or `PostgreSQL`. */
  database: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `${this.database}: the database cannot be used (${rootMessage(this.cause)}). Nothing was started, and what it stores stays. Correct the path or the URL, the permissions or the space on the disk, and start again.`
  }
}

/**
 * The store of executions and batches, and the runner in this process.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Store {
  /** Starts an execution under the id of its payload, or finds it. No other execution is its parent. */
  readonly start: (
    workflow: Workflow.Any,
    executionId: string,
    payload: unknown
  ) => Effect.Effect<void, StartError>
  /** Waits for the end of an execution: hears at once of one in this process, and looks for another from time to time. */
  readonly untilEnd: (executionId: string) => Effect.Effect<Execution, StorageError>
  /** Whether the runner in this process takes part: the database responds, and nobody has taken it for dead. */
  readonly isHealthy: Effect.Effect<boolean>
}

/**
 * The engine as an operator needs it.
 *
 * @since 0.1.0
 * @category services
 */
export class Engine extends Context.Tag("@manilla/workflow-engine/Engine")<Engine, Service>() {}
