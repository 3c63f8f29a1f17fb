/**
 * The store of an engine: executions, the results of their steps, runners and batches. It is in memory, or in the tables
 * of a database.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Batches from "./Batches.js"
import type * as Execution from "./Execution.js"
import { rootMessage } from "./internal/rootMessage.js"
import * as transitions from "./internal/transitions.js"

/**
 * How an execution ended.
 *
 * @since 0.1.0
 * @category models
 */
export type EndState = NonNullable<Execution.Execution["end"]>["state"]

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
  readonly businessKey?: string | undefined
  /** One of these states. */
  readonly states?: ReadonlyArray<Execution.Status["state"]> | undefined
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
  readonly oldestMillis: number
}

/**
 * The stored result of a step: an activity and one attempt of it, or a signal from outside.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step {
  /** Such as `write/Payouts.disburse/0/1`. */
  readonly name: string
  /** Its encoded `Exit`, as JSON. */
  readonly exit: string
  readonly storedMillis: number
}

/**
 * A step after it was stored.
 *
 * @since 0.1.0
 * @category models
 */
export interface Kept {
  /** The result that counts: the one that was stored first. */
  readonly exit: string
  readonly isCancelRequested: boolean
}

/**
 * Executions that were given to a runner.
 *
 * @since 0.1.0
 * @category models
 */
export interface Taken {
  readonly taken: ReadonlyArray<Execution.Execution>
  /** When the next one is due. `Infinity` if the store does not know it. */
  readonly nextMillis: number
}

/**
 * A change of a stored execution.
 *
 * @since 0.1.0
 * @category models
 */
export type Change = (execution: Execution.Execution) => Execution.Execution

type Stores<A> = Effect.Effect<A, Execution.StorageError>

/**
 * The store of executions and of the results of their steps. Each method is one atomic change. A `StorageError` means
 * that the store failed: repeat the operation later.
 *
 * @since 0.1.0
 * @category models
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

  readonly batches: Batches.Service
}

/**
 * The processes that run executions of a store. Each has a number, which is never used again.
 *
 * @since 0.1.0
 * @category models
 */
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

/**
 * The executions that a filter selects, read in pages.
 *
 * @since 0.1.0
 * @category operating
 */
export const pages = ({ list }: Store, filter: Filter, most = Infinity) => {
  const size = Math.min(most, 1_000)
  return Stream.paginateChunkEffect(undefined, (after: Cursor | undefined) =>
    Effect.map(list(filter, after, size), (page) => [
      Chunk.unsafeFromArray(page),
      page.length < size ? Option.none() : Arr.last(page)
    ])
  )
}

/**
 * Deletes the steps, the payload and the result of an execution that has ended.
 *
 * @since 0.1.0
 * @category operating
 */
export const purge = ({ forget, modify }: Store, { executionId }: Execution.Execution) =>
  // In this order, so that a crash in between leaves nothing behind.
  Effect.zipRight(forget(executionId), modify(executionId, transitions.purged))

/**
 * Ends the pause of an execution now. None if it is not stored.
 *
 * @since 0.1.0
 * @category operating
 */
export const resume = ({ modify }: Store, { executionId }: Execution.Execution) =>
  modify(executionId, transitions.resumed)

/**
 * Asks an execution to end. None if it is not stored.
 *
 * @since 0.1.0
 * @category operating
 */
export const interrupt = ({ modify }: Store, { executionId }: Execution.Execution) =>
  modify(executionId, transitions.interrupted)

const firstPauseMillis = 100
const longestPauseMillis = 5_000

/** The operations of this process that wait for a database, and since when: thousands wait in an outage. */
const outage = { waiting: 0, sinceMillis: 0 }

const begin = (error: unknown) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    if (outage.waiting++ > 0) return Effect.void
    outage.sinceMillis = nowMillis
    return Effect.logWarning(
      `The database of the workflows failed (${rootMessage(error)}). Executions wait until it answers.`
    )
  })

const leave = Effect.sync(() => void outage.waiting--)

const end = Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
  const seconds = Math.round((nowMillis - outage.sinceMillis) / 1_000)
  return outage.waiting === 1
    ? Effect.logInfo(`The database of the workflows answers again, after ${seconds} s.`)
    : Effect.void
})

const isStorageError = (error: { readonly _tag: string }): error is Execution.StorageError =>
  error._tag === "StorageError"

/**
 * Repeats a storage operation until the database answers: an execution must not fail because its database is away.
 * An operation that failed may have been applied all the same.
 *
 * @since 0.1.0
 * @category combinators
 */
export const persistently = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E | Execution.StorageError, R>
): Effect.Effect<A, Exclude<E, Execution.StorageError>, R> => {
  const again = (pauseMillis: number): Effect.Effect<A, Exclude<E, Execution.StorageError>, R> =>
    Effect.catchIf(Effect.delay(effect, pauseMillis), isStorageError, () =>
      again(Math.min(2 * pauseMillis, longestPauseMillis))
    )
  return Effect.catchIf(effect, isStorageError, (error) =>
    Effect.acquireUseRelease(
      begin(error),
      () => Effect.zipLeft(again(firstPauseMillis), end),
      () => leave
    )
  )
}
