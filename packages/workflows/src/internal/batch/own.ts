/**
 * The parts of a batch: `start` stores the items (`load`) and begins an execution, which owns the batch in an epoch (here),
 * sends first requests (`drive`), and follows the items that it has handed over (`follow`). `rules` has the state of an
 * item after each event, and `operate` the other methods, which change the table.
 */
import { persistently } from "@manilla/workflow-engine/Store"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { BatchEngine } from "../../BatchEngine.js"
import { drive } from "./drive.js"
import { summaryOf } from "./operate.js"
import { afterDefects } from "./owner.js"
import type { Owner } from "./owner.js"

const betweenLooks = Schedule.union(Schedule.exponential("10 millis"), Schedule.spaced("5 seconds"))

/** Owns a batch until it has ended, and counts its ends. */
export const run = (options: Omit<Owner, "epoch">) =>
  Effect.gen(function* () {
    const { batchKey } = options
    const { batches: table } = yield* BatchEngine
    const find = persistently(table.find(batchKey))
    // An execution may begin before its items are complete.
    const stored = find.pipe(
      Effect.flatMap(Option.filter(({ phase }) => phase !== "storing")),
      Effect.retry(betweenLooks),
      Effect.orDie
    )
    /** The other owner may itself have been taken for dead: after a minute, this one begins a new epoch. */
    const watchOther = Effect.zipRight(
      Effect.logWarning(`Another process has taken over the batch ${batchKey}.`),
      Effect.repeat(Effect.delay(find, "5 seconds"), {
        until: Option.exists(({ ended }) => ended !== null),
        times: 12
      })
    )
    while (true) {
      const { ended, epoch, phase, total } = yield* stored
      if (ended !== null) return yield* persistently(summaryOf(table, batchKey, total))
      const next = { epoch: epoch + 1 }
      const isOwner = yield* persistently(table.change(batchKey, next, { epoch, phases: [phase] }))
      if (isOwner)
        yield* Effect.catchTag(drive({ ...options, ...next }), "Overtaken", () => watchOther)
    }
  }).pipe(afterDefects(`the batch ${options.batchKey}`))
