import type * as Batches from "@manilla/workflow-engine/Batches"
import { persistently } from "@manilla/workflow-engine/Store"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Batch from "../../Batch.js"
import { drive } from "./drive.js"
import { afterDefects } from "./Owner.js"
import type { Owner } from "./Owner.js"

/** How the items of a batch ended. */
export const summaryOf = (table: Batches.Service, batchKey: string, total: number) =>
  Effect.map(table.count(batchKey), (counts): Batch.Summary => {
    const kept = {
      completed: counts.completed ?? 0,
      notCompleted: counts.notCompleted ?? 0,
      failed: counts.failed ?? 0,
      inDoubt: counts.inDoubt ?? 0,
      notStarted: counts.waiting ?? 0
    }
    const purged = total - Object.values(kept).reduce((sum, count) => sum + count, 0)
    return { total, ...kept, purged }
  })

/** The longest pause between two looks whether the items are complete. */
const longestPauseMillis = 5_000

/** Owns a batch until it has ended, and counts its ends. */
export const run = (options: Omit<Owner, "epoch">): Effect.Effect<Batch.Summary> =>
  Effect.gen(function* () {
    const { batchKey } = options
    const table = options.engine.batches
    const find = persistently(table.find(batchKey))
    /** The other owner may have been taken for dead itself: after a minute, this one tries again. */
    const leave = Effect.zipRight(
      Effect.logWarning(`Another process has taken over the batch ${batchKey}.`),
      Effect.repeat(Effect.delay(find, "5 seconds"), {
        until: Option.exists(({ ended }) => ended !== null),
        times: 12
      })
    )
    let pauseMillis = 10
    while (true) {
      const batch = Option.getOrUndefined(yield* find)
      if (batch === undefined || batch.phase === "storing") {
        yield* Effect.sleep(pauseMillis)
        pauseMillis = Math.min(2 * pauseMillis, longestPauseMillis)
        continue
      }
      const { ended, phase, total } = batch
      if (ended !== null) return yield* persistently(summaryOf(table, batchKey, total))
      const epoch = batch.epoch + 1
      const isOwner = yield* persistently(
        table.change(batchKey, { epoch }, { epoch: batch.epoch, phases: [phase] })
      )
      if (!isOwner) continue
      yield* Effect.catchTag(drive({ ...options, epoch }), "Overtaken", () => leave)
    }
  }).pipe(afterDefects(`the batch ${options.batchKey}`))
