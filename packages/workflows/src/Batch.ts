/**
 * The items of a batch of payouts, their results, and the progress of the batch.
 *
 * @since 0.1.0
 */
import * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as DisbursePayout from "./DisbursePayout.js"
import { mostShown } from "./internal/batch/mostShown.js"
import { Key } from "./internal/key.js"

/**
 * A payout of a batch, under a key of its own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Item = Schema.Struct({ key: Key, request: Payout.PayoutRequest })

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
  /** Items that were not started, because the batch was interrupted. */
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
  /**
   * It sends items (`running`), sends none until it is resumed (`paused`), sends none any more (`interrupted`), or has
   * ended.
   */
  readonly phase: Exclude<Batches.Phase, "storing" | "purged">
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
  /** The business key of its execution of `DisbursePayout`, if it has one, for operating it. */
  readonly businessKey: string
  /**
   * | state          | meaning                                                                     |
   * | -------------- | --------------------------------------------------------------------------- |
   * | `waiting`      | no request was sent, or none was applied                                    |
   * | `sending`      | its request may be sent at any moment                                       |
   * | `created`      | its payout exists, and the batch reads its status                           |
   * | `unknown`      | its payout may exist: an execution of `DisbursePayout` continues its request |
   * | `pending`      | its payout exists, and an execution of `DisbursePayout` reads its status    |
   * | `completed`    | ended: the status of its payout is `COMPLETED`                              |
   * | `notCompleted` | ended: its payout has another final status                                  |
   * | `failed`       | ended: nothing was paid                                                     |
   * | `inDoubt`      | ended with an error, although its payout exists or may exist                |
   * | `purged`       | ended, and its result was purged meanwhile                                  |
   */
  readonly state: Batches.State
  /** Its end; none before that. */
  readonly end: Option.Option<
    Exit.Exit<Payout.Payout, typeof DisbursePayout.workflow.errorSchema.Type>
  >
}

/**
 * An item whose outcome is unknown: its payout may exist. An execution of `DisbursePayout` continues its request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Doubt {
  /** The key of the item. */
  readonly key: string
  /** The error of the last round of requests, if one has ended. */
  readonly error: typeof DisbursePayout.workflow.errorSchema.Type | undefined
  /** When the request is sent again, in milliseconds since 1970. Undefined: it is being sent. */
  readonly nextMillis: number | undefined
  /** Why nothing continues its execution, and the remedy, if the engine beneath has ended it in another way than its body. */
  readonly stopped?: string | undefined
}

/**
 * Rows of a batch break a rule, such as one with the key of an earlier one. Nothing was started or sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidItems extends Schema.TaggedError<InvalidItems>(
  "@manilla/workflows/InvalidItems"
)("InvalidItems", {
  batchKey: Schema.String,
  /** The number of rows that break a rule. */
  rows: Schema.Int,
  /** The issues of the first hundred of them, such as `items.17.request.amount`. Rows are counted from 0. */
  issues: Schema.Array(Errors.Issue)
}) {
  override get message(): string {
    const more = this.rows > mostShown ? `; and ${this.rows - mostShown} more rows` : ""
    return `nothing was started for the batch ${JSON.stringify(this.batchKey)}: ${Issues.print(this.issues)}${more}`
  }
}

/**
 * The batch key already belongs to a batch with other items. Nothing was started or sent.
 *
 * @since 0.1.0
 * @category errors
 */
export class ItemsDiffer extends Schema.TaggedError<ItemsDiffer>("@manilla/workflows/ItemsDiffer")(
  "ItemsDiffer",
  {
    batchKey: Schema.String,
    /** The first hundred items that differ, by key, and how: such as `is missing` or `has another amount`. */
    issues: Schema.Array(Errors.Issue)
  }
) {
  override get message(): string {
    return `the batch ${this.batchKey} was started with other items: ${Issues.print(this.issues)}. Nothing was sent. Start it with its own items. Only items that it does not have, or that have failed, may be paid under another batch key.`
  }
}

/**
 * The engine beneath no longer continues the execution of a batch, or any of the items under way: for example, somebody has
 * cancelled it. Payouts may exist. The batch goes on when the executions do: wait for it again then.
 *
 * @since 0.1.0
 * @category errors
 */
export class BatchStopped extends Schema.TaggedError<BatchStopped>(
  "@manilla/workflows/BatchStopped"
)("BatchStopped", {
  batchKey: Schema.String,
  /** Of the execution of the batch itself. */
  why: Schema.optional(Schema.String),
  /** Those under way, if the engine beneath continues none of them. */
  items: Schema.Array(Schema.Struct({ key: Schema.String, why: Schema.String }))
}) {
  override get message(): string {
    const { batchKey, items, why = [] } = this
    const reasons = items.slice(0, mostShown).map(({ key, why }) => `${key}: ${why}`)
    const more = items.length > mostShown ? [`And ${items.length - mostShown} more.`] : []
    const rule = `the batch ${batchKey} has not ended, and its items may be paid: do not pay them in any other way.`
    return [rule].concat(why, reasons, more).join(" ")
  }
}
