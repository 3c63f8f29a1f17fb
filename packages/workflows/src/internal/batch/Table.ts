import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Execution from "../../Execution.js"

/** See `Batch.State`. */
export type State =
  | "waiting"
  | "sending"
  | "created"
  | "unknown"
  | "pending"
  | "completed"
  | "notCompleted"
  | "failed"
  | "inDoubt"
  | "purged"

/** A stored batch. */
export interface Stored {
  /** Counts its owners. Only the last one may change items. */
  readonly epoch: number
  /** The number of its items; undefined until all are stored. */
  readonly total: number | undefined
  readonly isPaused: boolean
  readonly isCancelRequested: boolean
  readonly startedMillis: number
  readonly endedMillis: number | undefined
  /** Whether its items were deleted after its end. */
  readonly isPurged: boolean
}

export interface NewItem {
  readonly number: number
  readonly key: string
  /** As JSON. */
  readonly request: string
}

/** A change of an item. A member that is left out stays as it is. */
export interface Change {
  readonly number: number
  readonly state: State
  /** When its request was first about to be sent. */
  readonly sentMillis?: number | undefined
  readonly reference?: string | undefined
  /** Its end, as JSON. */
  readonly result?: string | undefined
}

export interface Item extends NewItem, Change {}

/** Selects items. A part that is left out selects all. */
export interface Filter {
  readonly states?: ReadonlyArray<State> | undefined
  readonly keys?: ReadonlyArray<string> | undefined
  readonly numbers?: ReadonlyArray<number> | undefined
  /** With a greater number. */
  readonly after?: number | undefined
}

type Stores<A> = Effect.Effect<A, Execution.StorageError>

/** Batches and their items. Each method is one atomic change. */
export interface Service {
  /** Stores a new batch without items. An earlier one stays. */
  readonly insert: (batchKey: string, startedMillis: number) => Stores<void>

  readonly find: (batchKey: string) => Stores<Option.Option<Stored>>

  /** Changes a batch, and returns the changed one: none if it does not exist, or is in another epoch. */
  readonly change: (
    batchKey: string,
    change: Partial<Stored>,
    epoch?: number
  ) => Stores<Option.Option<Stored>>

  /**
   * Stores items in an epoch, and returns their numbers. An item whose key is taken is left out, and in another
   * epoch all are.
   */
  readonly add: (
    batchKey: string,
    epoch: number,
    items: ReadonlyArray<NewItem>
  ) => Stores<ReadonlyArray<number>>

  /**
   * Changes items, each at most once, and returns whether the batch is still in this epoch. If it is not,
   * nothing was changed. Until the change is stored, no other owner can begin an epoch.
   */
  readonly write: (
    batchKey: string,
    epoch: number,
    changes: ReadonlyArray<Change>
  ) => Stores<boolean>

  /** The first items in the order of their numbers. */
  readonly read: (batchKey: string, filter: Filter, limit: number) => Stores<ReadonlyArray<Item>>

  readonly count: (batchKey: string) => Stores<Partial<Record<State, number>>>

  /** Deletes the items of a batch in an epoch. */
  readonly clear: (batchKey: string, epoch: number) => Stores<void>
}
