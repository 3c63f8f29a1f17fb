/**
 * The items of a batch of payouts, their results, and the progress of the batch.
 *
 * @since 0.1.0
 */
import * as Payout from "@manilla/payouts/Payout"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as DisbursePayout from "./DisbursePayout.js"
import * as Execution from "./Execution.js"

/**
 * A payout of a batch, under a key of its own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Item = Schema.Struct({ key: Execution.BusinessKey, request: Payout.PayoutRequest })

/**
 * @since 0.1.0
 * @category models
 */
export interface Item extends Schema.Schema.Type<typeof Item> {}

/**
 * How the items of a batch ended.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Summary = Schema.Struct({
  total: Schema.Int,
  /** Payouts with the status `COMPLETED`. */
  completed: Schema.Int,
  /** Payouts with another final status. */
  notCompleted: Schema.Int,
  /** Items that failed: nothing was paid. */
  failed: Schema.Int,
  /** Items that ended with an error although their payout exists or may exist. Check each of them. */
  inDoubt: Schema.Int,
  /** Items that were not started, because the batch was cancelled, or that were refused. */
  notStarted: Schema.Int,
  /** Items whose results were purged meanwhile. */
  purged: Schema.Int
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Summary extends Schema.Schema.Type<typeof Summary> {}

/**
 * The items of a batch by state.
 *
 * @since 0.1.0
 * @category models
 */
export interface Progress {
  readonly total: number
  readonly notStarted: number
  /** Started; their payouts do not exist yet, or it is not known. */
  readonly creating: number
  /** Their payouts exist, and have no final status yet. */
  readonly pending: number
  /** Ended, with a payout or an error. */
  readonly ended: number
  readonly isPaused: boolean
  readonly isCancelRequested: boolean
}

/**
 * The result of an item.
 *
 * @since 0.1.0
 * @category models
 */
export interface ItemResult {
  /** The key of the item. */
  readonly key: string
  /** The business key of its execution of `DisbursePayout`, for operating it. */
  readonly businessKey: string
  /** `Refused`: its business key belongs to another payout, so nothing was sent. */
  readonly state: Execution.State | "NotStarted" | "Refused"
  /** Its end; none before that, and after a purge. */
  readonly end: Option.Option<Exit.Exit<Payout.Payout, DisbursePayout.DisburseError>>
}
