import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import * as Execution from "../Execution.js"
import * as Names from "../Names.js"
import type * as Store from "../Store.js"
import * as begun from "./begun.js"
import * as transitions from "./transitions.js"

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

/** The store of executions and of the results of their steps. Each method is one atomic change. */
export interface EngineStore extends Pick<
  Store.Store,
  "find" | "list" | "open" | "steps" | "forgetSignals" | "batches"
> {
  /** Stores a new execution. Returns an earlier one under the same id, which stays. */
  readonly insert: (execution: Execution.Execution) => Stores<Option.Option<Execution.Execution>>

  readonly read: (executionId: string) => Stores<Option.Option<Execution.Execution>>

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

  /** Notes that something has happened that an execution may wait for, unless it has ended: see `transitions.woken`. */
  readonly wake: (executionId: string) => Stores<void>

  /** Stores the result of a step, if the runner owns the execution. None if it does not. */
  readonly storeStep: (
    executionId: string,
    runner: number,
    step: Store.Step
  ) => Stores<Option.Option<Kept>>

  /**
   * Stores a result that comes from outside, unless it has one or the execution has ended. The execution may begin later.
   */
  readonly signal: (executionId: string, step: Store.Step) => Stores<void>

  /** Deletes the results of an execution. */
  readonly forget: (executionId: string) => Stores<void>

  readonly runners: Runners
}

/** The processes that run executions of a store. Each has a number, which is never used again. */
export interface Runners {
  /**
   * The time of all processes, in milliseconds since 1970: the one of PostgreSQL, a moment late, and never ahead of it. SQLite
   * and memory have the clock of their machine. A pause begins and ends by it.
   */
  readonly now: Effect.Effect<number>

  readonly join: Stores<number>

  /** Shows that a runner lives. False if it was taken for dead: it owns nothing any more. */
  readonly beat: (runner: number) => Stores<boolean>

  /** Frees the executions of runners that have died, and returns the ids of those that have ended: they still have to wake others. */
  readonly reap: (runner: number) => Stores<ReadonlyArray<string>>

  /** Frees the executions of a runner that ends, and that have not ended. */
  readonly leave: (runner: number) => Stores<void>

  readonly list: Store.Store["runners"]
}

/** Whether an execution that waits for this one may still have to read its end. */
const isAwaited = (store: EngineStore, execution: Execution.Execution) =>
  Effect.gen(function* () {
    const hasRead = Names.make("ended", { id: execution.executionId })
    for (const waiter of yield* begun.waiters(store, execution)) {
      const reader = yield* store.read(waiter)
      if (!Option.exists(reader, ({ end }) => end === undefined)) continue
      if ((yield* store.steps(waiter)).every(({ name }) => name !== hasRead)) return true
    }
    return false
  })

/** The store as an operator sees it, and a runner in this process that looks for what is due after a change. */
export const forOperator = (
  store: EngineStore,
  look: Effect.Effect<void> = Effect.void
): Store.Store => ({
  ...Struct.pick(store, "find", "list", "open", "steps", "forgetSignals", "batches"),
  resume: (executionId) => Effect.zipLeft(store.modify(executionId, transitions.resumed), look),
  interrupt: (executionId) =>
    Effect.zipLeft(store.modify(executionId, transitions.interrupted), look),
  purge: (execution) =>
    Effect.gen(function* () {
      const { businessKey, end, executionId, workflow } = execution
      if (end === undefined || (yield* isAwaited(store, execution))) {
        return yield* new Execution.ExecutionNotEnded({ workflow, businessKey })
      }
      // In this order, so that a crash in between leaves nothing behind.
      yield* store.forget(executionId)
      yield* store.modify(executionId, transitions.purged)
    }),
  runners: store.runners.list
})
