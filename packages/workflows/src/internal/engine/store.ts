import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Execution from "../../Execution.js"
import type * as Table from "../batch/Table.js"

/** How an execution ended. */
export type EndState = NonNullable<Execution.Execution["end"]>["state"]

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
  readonly states?: ReadonlyArray<Execution.Status["state"]> | undefined
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
  readonly oldestMillis: number
}

/** The stored result of a step: an activity and one attempt of it, or a signal from outside. */
export interface Step {
  /** Such as `write/Payouts.disburse/0/1`. */
  readonly name: string
  /** Its encoded `Exit`, as JSON. */
  readonly exit: string
  readonly storedMillis: number
}

/** A step after it was stored. */
export interface Kept {
  /** The result that counts: the one that was stored first. */
  readonly exit: string
  readonly isCancelRequested: boolean
}

/** Executions that were given to a runner. */
export interface Taken {
  readonly taken: ReadonlyArray<Execution.Execution>
  /** When the next one is due. `Infinity` if the store does not know it. */
  readonly nextMillis: number
}

/** A change of a stored execution. */
export type Change = (execution: Execution.Execution) => Execution.Execution

type Stores<A> = Effect.Effect<A, Execution.StorageError>

/**
 * The store of executions and of the results of their steps. Each method is one atomic change. A `StorageError` means
 * that the store failed: repeat the operation later.
 */
export interface Store {
  /** Stores a new execution, and returns the stored one: an earlier one under the same id stays. */
  readonly insert: (
    execution: Execution.Execution
  ) => Stores<{ readonly stored: Execution.Execution; readonly isNew: boolean }>

  readonly find: (name: Name) => Stores<Option.Option<Execution.Execution>>

  readonly read: (executionId: string) => Stores<Option.Option<Execution.Execution>>

  /** The first executions after a place, in the order of their start. */
  readonly list: (
    filter: Filter,
    after: Cursor | undefined,
    limit: number
  ) => Stores<ReadonlyArray<Execution.Execution>>

  /** The executions that have not ended, by workflow. */
  readonly open: Stores<ReadonlyMap<string, Open>>

  /**
   * Changes an execution, and returns the new one. With a runner, only while that one owns it. None if it was not
   * changed.
   */
  readonly modify: (
    executionId: string,
    change: Change,
    runner?: number
  ) => Stores<Option.Option<Execution.Execution>>

  /** Gives executions of these workflows that are due, and that nobody owns, to a runner that is listed. */
  readonly take: (
    runner: number,
    workflows: ReadonlyArray<string>,
    nowMillis: number,
    limit: number
  ) => Stores<Taken>

  /** The ids of the executions that a runner owns. */
  readonly owned: (runner: number) => Stores<ReadonlyArray<string>>

  /** The results of an execution, in the order in which they were stored. */
  readonly steps: (executionId: string) => Stores<ReadonlyArray<Step>>

  /** Stores the result of a step, if the runner owns the execution. None if it does not. */
  readonly keep: (executionId: string, runner: number, step: Step) => Stores<Option.Option<Kept>>

  /** Stores a result that comes from outside, unless it has one. Returns whether it is new. */
  readonly signal: (executionId: string, step: Step) => Stores<boolean>

  /** Deletes the results of an execution. */
  readonly forget: (executionId: string) => Stores<void>

  readonly runners: Runners

  readonly batches: Table.Service
}

/** The processes that run executions of a store. Each has a number, which is never used again. */
export interface Runners {
  readonly join: Stores<number>

  /** Shows that a runner lives. False if it was taken for dead: it owns nothing any more. */
  readonly beat: (runner: number) => Stores<boolean>

  /** Frees the executions of runners that have died. */
  readonly reap: (runner: number) => Stores<void>

  /** Frees the executions of a runner that ends. */
  readonly leave: (runner: number) => Stores<void>

  /** The runners that live, in words. */
  readonly list: Stores<ReadonlyArray<string>>
}
