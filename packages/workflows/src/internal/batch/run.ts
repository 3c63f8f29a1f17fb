import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Batch from "../../Batch.js"
import { drive } from "./drive.js"
import { type Owner, stored } from "./Owner.js"
import type * as Table from "./Table.js"

/** The items of a batch by state. */
export const progressOf = (table: Table.Service, batchKey: string, batch: Table.Stored) =>
  Effect.map(table.count(batchKey), (counts): Batch.Progress => {
    const sum = (...states: ReadonlyArray<Batch.State>) =>
      states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
    return {
      total: batch.total ?? 0,
      notStarted: sum("waiting"),
      creating: sum("sending", "unknown"),
      pending: sum("created", "pending"),
      ended: sum("completed", "notCompleted", "failed", "inDoubt", "purged"),
      isPaused: batch.isPaused,
      isCancelRequested: batch.isCancelRequested,
      isEnded: batch.endedMillis !== undefined
    }
  })

const summaryOf = (table: Table.Service, batchKey: string, total: number) =>
  Effect.map(stored(table.count(batchKey)), (counts): Batch.Summary => ({
    total,
    completed: counts.completed ?? 0,
    notCompleted: counts.notCompleted ?? 0,
    failed: counts.failed ?? 0,
    inDoubt: counts.inDoubt ?? 0,
    notStarted: counts.waiting ?? 0,
    purged: counts.purged ?? 0
  }))

/** Owns a batch until it has ended, and counts its ends. */
export const run = (options: Omit<Owner, "epoch">): Effect.Effect<Batch.Summary> =>
  Effect.gen(function* () {
    const { batchKey, table } = options
    const find = Effect.map(stored(table.find(batchKey)), Option.getOrThrow)
    while (true) {
      const batch = yield* find
      if (batch.endedMillis !== undefined) {
        return yield* summaryOf(table, batchKey, batch.total ?? 0)
      }
      const epoch = batch.epoch + 1
      const owned = yield* stored(table.change(batchKey, { epoch }, batch.epoch))
      if (Option.isNone(owned) || (yield* drive({ ...options, epoch }))) continue
      yield* Effect.logWarning(`Another process has taken over the batch ${batchKey}.`)
      yield* Effect.repeat(Effect.delay(find, "5 seconds"), {
        until: ({ endedMillis }) => endedMillis !== undefined
      })
    }
  })
