/**
 * The store of an engine: executions, the results of their steps, runners and batches. It is in memory, or in the tables
 * of a database.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Batches from "./Batches.js"
import type * as Execution from "./Execution.js"
import { rootMessage } from "./internal/rootMessage.js"

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
  /** Started at this moment or later. */
  readonly startedFromMillis?: number | undefined
  /** Started before this moment. */
  readonly startedBeforeMillis?: number | undefined
  /** Ended before this moment. */
  readonly endedBeforeMillis?: number | undefined
  readonly isPurged?: boolean | undefined
  /** In the opposite order: the newest first. */
  readonly isNewestFirst?: boolean | undefined
}

/**
 * A place in the list of executions, which is in the order of their start.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cursor extends Name {
  readonly startedMillis: number
  /** Several executions of a workflow can have one key. */
  readonly executionId: string
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
 * A process that runs workflows, or ran them when it died.
 *
 * @since 0.1.0
 * @category models
 */
export interface Runner {
  /** Such as `process 4711 on worker-1`. */
  readonly name: string
  /** How long ago it has shown that it lives, in milliseconds. */
  readonly silentMillis: number
  /** False if its process is gone, or it was silent for too long. */
  readonly isAlive: boolean
}

type Stores<A> = Effect.Effect<A, Execution.StorageError>

/**
 * The store of an engine, as an operator sees it. A `StorageError` means that the store failed: repeat the operation
 * later.
 *
 * @since 0.1.0
 * @category models
 */
export interface Store {
  readonly find: (name: Name) => Stores<Option.Option<Execution.Execution>>

  /** The first executions after a place, in the order of their start. */
  readonly list: (
    filter: Filter,
    after: Cursor | undefined,
    limit: number
  ) => Stores<ReadonlyArray<Execution.Execution>>

  /** The executions that have not ended, by workflow. */
  readonly open: Stores<ReadonlyMap<string, Open>>

  /** The results of an execution, in the order in which they were stored. */
  readonly steps: (executionId: string) => Stores<ReadonlyArray<Step>>

  /**
   * Ends the pause of an execution, and returns the new one. None if it is not stored. A runner in this process goes on
   * at once, and one elsewhere within its poll interval.
   */
  readonly resume: (executionId: string) => Stores<Option.Option<Execution.Execution>>

  /** Asks an execution to end, as soon as `resume`, and returns the new one. None if it is not stored. */
  readonly interrupt: (executionId: string) => Stores<Option.Option<Execution.Execution>>

  /** Deletes the steps, the payload and the result of an execution that has ended. */
  readonly purge: (
    execution: Execution.Execution
  ) => Effect.Effect<void, Execution.ExecutionNotEnded | Execution.StorageError>

  /** Deletes the signals from before a moment to executions that nobody has started. */
  readonly forgetSignals: (beforeMillis: number) => Stores<void>

  /** Those that live, and those that nobody has replaced yet. */
  readonly runners: Stores<ReadonlyArray<Runner>>

  readonly batches: Batches.Service
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

const firstPauseMillis = 100
const longestPauseMillis = 5_000

/**
 * The operations that wait for a database, and since when: thousands wait in an outage.
 *
 * @since 0.1.0
 * @category models
 */
export interface Waiting {
  waiting: number
  sinceMillis: number
}

/**
 * A database that responds.
 *
 * @since 0.1.0
 * @category constructors
 */
export const noOutage = (): Waiting => ({ waiting: 0, sinceMillis: 0 })

/**
 * The outage of the database of a body, which its engine provides.
 *
 * @since 0.1.0
 * @category services
 */
export class Outage extends Context.Reference<Outage>()("@manilla/workflow-engine/Outage", {
  defaultValue: noOutage
}) {}

const begin = (outage: Waiting, error: unknown) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    if (outage.waiting++ > 0) return Effect.void
    outage.sinceMillis = nowMillis
    return Effect.logWarning(
      `The database of the workflows failed (${rootMessage(error)}). Executions wait until it responds.`
    )
  })

const end = (outage: Waiting) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    const seconds = Math.round((nowMillis - outage.sinceMillis) / 1_000)
    return outage.waiting === 1
      ? Effect.logInfo(`The database of the workflows responds again, after ${seconds} s.`)
      : Effect.void
  })

const isStorageError = (error: { readonly _tag: string }): error is Execution.StorageError =>
  error._tag === "StorageError"

/**
 * Repeats a storage operation until the database responds.
 *
 * @since 0.1.0
 * @category models
 */
export type Persistently = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E | Execution.StorageError, R>
) => Effect.Effect<A, Exclude<E, Execution.StorageError>, R>

/**
 * Repeats storage operations of one database until it responds, and logs its outage once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const patient =
  (outage: Waiting): Persistently =>
  <A, E extends { readonly _tag: string }, R>(
    effect: Effect.Effect<A, E | Execution.StorageError, R>
  ) => {
    const again = (pauseMillis: number): Effect.Effect<A, Exclude<E, Execution.StorageError>, R> =>
      Effect.catchIf(Effect.delay(effect, pauseMillis), isStorageError, () =>
        again(Math.min(2 * pauseMillis, longestPauseMillis))
      )
    return Effect.catchIf(effect, isStorageError, (error) =>
      Effect.acquireUseRelease(
        begin(outage, error),
        () => Effect.zipLeft(again(firstPauseMillis), end(outage)),
        () => Effect.sync(() => void outage.waiting--)
      )
    )
  }

/**
 * Repeats a storage operation of a body until the database responds: an execution must not fail because its database is
 * away. An operation that failed may have been applied all the same.
 *
 * @since 0.1.0
 * @category combinators
 */
export const persistently: Persistently = (effect) =>
  Effect.flatMap(Outage, (outage) => patient(outage)(effect))
