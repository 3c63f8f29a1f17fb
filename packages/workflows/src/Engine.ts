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
import * as Schema from "effect/Schema"
import type * as Execution from "./Execution.js"

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
 * Selects executions. A part that is left out selects all.
 *
 * @since 0.1.0
 * @category models
 */
export interface Filter {
  readonly workflow?: string | undefined
  /** One of these states. */
  readonly states?: ReadonlyArray<Execution.State> | undefined
  /** Started before this moment. */
  readonly startedBeforeMillis?: number | undefined
  /** Ended before this moment. */
  readonly endedBeforeMillis?: number | undefined
  readonly isPurged?: boolean | undefined
}

/**
 * A place in the list of executions, which is in the order of their start.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cursor extends Name {
  readonly startedMillis: number
}

/**
 * The executions of a workflow that have not ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface Open {
  readonly running: number
  readonly waiting: number
  /** When the oldest one started. */
  readonly oldestMillis: number | undefined
}

/**
 * The methods of the `Engine` service. A `StorageError` means that the store failed: repeat the operation later.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Stores a new execution, and returns the stored one: an earlier one under the same id stays. */
  readonly insert: (
    execution: Execution.Execution
  ) => Effect.Effect<
    { readonly stored: Execution.Execution; readonly isNew: boolean },
    Execution.StorageError
  >

  readonly find: (
    name: Name
  ) => Effect.Effect<Option.Option<Execution.Execution>, Execution.StorageError>

  readonly read: (
    executionId: string
  ) => Effect.Effect<Option.Option<Execution.Execution>, Execution.StorageError>

  /** Finds several executions of a workflow. Those that do not exist are left out. */
  readonly findAll: (
    workflow: string,
    businessKeys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Execution.Execution>, Execution.StorageError>

  /** The first executions after a place, in the order of their start. */
  readonly list: (
    filter: Filter,
    after: Cursor | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Execution.Execution>, Execution.StorageError>

  readonly open: (workflow: string) => Effect.Effect<Open, Execution.StorageError>

  /** Replaces an execution by a function of its stored value, atomically. */
  readonly modify: <A>(
    executionId: string,
    change: (execution: Execution.Execution) => readonly [A, Execution.Execution]
  ) => Effect.Effect<Option.Option<A>, Execution.StorageError>

  /** Executions that have not ended and were due before a moment, the earliest first. */
  readonly overdue: (
    workflow: string,
    beforeMillis: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Execution.Execution>, Execution.StorageError>

  /**
   * Deletes what the engine stored of an execution, if it has the result. Otherwise it would run the execution
   * again. Returns whether nothing is left.
   */
  readonly forget: (name: {
    readonly workflow: string
    readonly executionId: string
  }) => Effect.Effect<boolean, Execution.StorageError>

  /** Makes the engine read the messages of an execution again, also those that it has read but not handled. */
  readonly nudge: (workflow: string, executionId: string) => Effect.Effect<void>
}

/**
 * The store of executions.
 *
 * @since 0.1.0
 * @category services
 */
export class Engine extends Context.Tag("@manilla/workflows/Engine")<Engine, Service>() {}

/**
 * A runner in this process. The engines on a database provide it.
 *
 * @since 0.1.0
 * @category services
 */
export class Runner extends Context.Tag("@manilla/workflows/Runner")<
  Runner,
  {
    /**
     * Whether the runner takes part: the database answers and, on PostgreSQL, has heard of the runner within
     * the life of its locks.
     */
    readonly isHealthy: Effect.Effect<boolean>
  }
>() {}
