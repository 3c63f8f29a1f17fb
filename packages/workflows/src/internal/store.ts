import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Execution from "../Execution.js"

/** Finds an execution. */
export interface Name {
  readonly workflow: string
  readonly businessKey: string
}

/** Selects executions. A part that is left out selects all. */
export interface Filter {
  readonly workflow?: string | undefined
  readonly businessKey?: string | undefined
  /** One of these states. */
  readonly states?: ReadonlyArray<Execution.State> | undefined
  /** Started before this moment. */
  readonly startedBeforeMillis?: number | undefined
  /** Ended before this moment. */
  readonly endedBeforeMillis?: number | undefined
  readonly isPurged?: boolean | undefined
}

/** A place in the list of executions, which is in the order of their start. */
export interface Cursor extends Name {
  readonly startedMillis: number
}

/** The executions of a workflow that have not ended. */
export interface Open {
  readonly running: number
  readonly waiting: number
  /** When the oldest one started. */
  readonly oldestMillis: number | undefined
}

/** A step that has ended: an activity of the engine, and one attempt of it. */
export interface PastStep {
  /** Such as `write/Payouts.disburse/0/1`. */
  readonly name: string
  /** Its `Exit`, encoded. */
  readonly exit: unknown
  readonly storedMillis: number
}

/** What an engine has stored of an execution beside its row. */
export interface History {
  /** The steps that have ended, in this order. */
  readonly steps: ReadonlyArray<PastStep>
  /** The `Exit` of the execution, encoded. */
  readonly exit: unknown
}

/** The store of executions. A `StorageError` means that the store failed: repeat the operation later. */
export interface Store {
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

  /** Empty in memory, and after a purge. */
  readonly history: (name: {
    readonly workflow: string
    readonly executionId: string
  }) => Effect.Effect<History, Execution.StorageError>

  /** Makes the engine read the messages of an execution again, also those that it has read but not handled. */
  readonly nudge: (workflow: string, executionId: string) => Effect.Effect<void>
}
