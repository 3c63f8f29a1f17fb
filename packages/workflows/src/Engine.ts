/**
 * The engine that workflows run on: Effect's `WorkflowEngine`, and a store in which executions are found
 * by business key. `@manilla/workflows/memory`, `@manilla/workflows/sqlite` and
 * `@manilla/workflows/postgres` have its layers.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Execution, StorageError } from "./Execution.js"
import type { Store } from "./internal/engine/store.js"

/**
 * The tables of the database have the layout of another version of this package. Nothing was changed in the
 * database, and nothing was started.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedSchema extends Schema.TaggedError<UnsupportedSchema>(
  "@manilla/workflows/UnsupportedSchema"
)("UnsupportedSchema", {
  /** The file, or the name of the database. */
  database: Schema.String,
  /** The layout of the tables. Undefined if they are older than the first layout that has a number. */
  stored: Schema.UndefinedOr(Schema.Int),
  supported: Schema.Int
}) {
  override get message(): string {
    const stored =
      this.stored === undefined
        ? "are older than schema version 1"
        : `have schema version ${this.stored}`
    return `${this.database}: the tables ${stored}, and this version of @manilla/workflows supports schema version ${this.supported}. Nothing was changed. Run the version of @manilla/workflows that made the tables until its executions have ended, or use another database.`
  }
}

/**
 * The store of executions, and the ends of those that run in this process.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service extends Store {
  /** Waits for the end of an execution: hears at once of one in this process, and looks for another from time to time. */
  readonly untilEnd: (executionId: string) => Effect.Effect<Execution, StorageError>
}

/**
 * The engine as an operator needs it.
 *
 * @since 0.1.0
 * @category services
 */
export class Engine extends Context.Tag("@manilla/workflows/Engine")<Engine, Service>() {}

/**
 * The runner in this process.
 *
 * @since 0.1.0
 * @category services
 */
export class Runner extends Context.Tag("@manilla/workflows/Runner")<
  Runner,
  {
    /**
     * Whether the runner takes part: the database answers, and nobody has taken the runner for dead.
     */
    readonly isHealthy: Effect.Effect<boolean>
  }
>() {}
