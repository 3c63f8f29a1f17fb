/**
 * A table of batches and their items, which an execution drives with a few statements for many items.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Execution from "./Execution.js"

/**
 * The phase of a batch. `storing`: its items are not complete yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Phase = Schema.Literal(
  "storing",
  "running",
  "paused",
  "interrupted",
  "ended",
  "purged"
)

/**
 * @since 0.1.0
 * @category models
 */
export type Phase = typeof Phase.Type

/**
 * The state of an item: see `Batch.ItemResult` of `@manilla/workflows`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const State = Schema.Literal(
  "waiting",
  "sending",
  "created",
  "unknown",
  "pending",
  "completed",
  "notCompleted",
  "failed",
  "inDoubt",
  "purged"
)

/**
 * @since 0.1.0
 * @category models
 */
export type State = typeof State.Type

/**
 * A stored batch. Times are in milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stored {
  /** Counts its owners. Only the last one may change items. */
  readonly epoch: number
  readonly phase: Phase
  /** The number of its items. */
  readonly total: number
  readonly started: number
  readonly ended: number | null
}

/**
 * @since 0.1.0
 * @category models
 */
export interface NewItem {
  readonly number: number
  readonly key: string
  /** As JSON. */
  readonly request: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Item extends NewItem {
  readonly state: State
  /** When its request was about to be sent. */
  readonly sent: number | null
  readonly reference: string | null
  /** Its end, as JSON. */
  readonly result: string | null
}

/**
 * A change of an item. A member that is left out stays as it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change extends Partial<Omit<Item, keyof NewItem | "state">> {
  readonly number: number
  readonly state: State
}

/**
 * Selects items. A part that is left out selects all.
 *
 * @since 0.1.0
 * @category models
 */
export interface Filter {
  readonly states?: ReadonlyArray<State> | undefined
  readonly keys?: ReadonlyArray<string> | undefined
  readonly numbers?: ReadonlyArray<number> | undefined
  /** With a greater number. */
  readonly after?: number | undefined
}

/**
 * Items of a batch whose states, amounts and currencies are the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface Alike {
  readonly state: State
  /** As in their requests. Null if a request has none. */
  readonly amount: string | null
  readonly currency: string | null
  readonly items: number
  /** Those whose requests were sent since a moment, without those that wait again after a refusal. */
  readonly recent: number
}

type Stores<A> = Effect.Effect<A, Execution.StorageError>

/**
 * Batches and their items. Each method is one atomic change.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Stores a new batch without items. An earlier one stays. */
  readonly insert: (batchKey: string, started: number) => Stores<void>

  readonly find: (batchKey: string) => Stores<Option.Option<Stored>>

  /** Changes a batch in this epoch, in one of these phases; without one, in any. Returns whether there was one. */
  readonly change: (
    batchKey: string,
    change: Partial<Stored>,
    where: { readonly epoch?: number; readonly phases?: ReadonlyArray<Phase> }
  ) => Stores<boolean>

  /** Stores items in an epoch, and returns their numbers. Items whose keys are taken are left out. */
  readonly add: (
    batchKey: string,
    epoch: number,
    items: ReadonlyArray<NewItem>
  ) => Stores<ReadonlyArray<number>>

  /**
   * Changes items, each at most once, and returns whether the batch is still in this epoch. If not, nothing was
   * changed. No other owner can begin an epoch before the change is stored.
   */
  readonly write: (
    batchKey: string,
    epoch: number,
    changes: ReadonlyArray<Change>
  ) => Stores<boolean>

  /** The first items in the order of their numbers. */
  readonly read: (batchKey: string, filter: Filter, limit: number) => Stores<ReadonlyArray<Item>>

  readonly count: (batchKey: string) => Stores<Partial<Record<State, number>>>

  /** The items with a number from the first to before the second one. */
  readonly alike: (
    batchKey: string,
    numbers: readonly [from: number, to: number],
    sentFromMillis: number
  ) => Stores<ReadonlyArray<Alike>>

  /** Deletes the items of a batch in an epoch. */
  readonly clear: (batchKey: string, epoch: number) => Stores<void>
}
