import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Batch from "../../Batch.js"
import { purged } from "./load.js"
import * as rules from "./rules.js"

const itemsPerRead = 500
const workflow = rules.workflowName

/** How the items of a batch ended. In one that has not ended, some may be in doubt for now. */
export const summaryOf = (table: Batches.Service, batchKey: string, total: number) =>
  Effect.map(table.count(batchKey), (counts): Batch.Summary => {
    const kept = {
      completed: counts.completed ?? 0,
      notCompleted: counts.notCompleted ?? 0,
      failed: counts.failed ?? 0,
      inDoubt: (counts.inDoubt ?? 0) + (counts.unknown ?? 0),
      notStarted: counts.waiting ?? 0
    }
    const purged = total - Object.values(kept).reduce((sum, count) => sum + count, 0)
    return { total, ...kept, purged }
  })

/** The operations on batches, all of which are changes of their table. */
export const make = (table: Batches.Service) => {
  /** A batch whose items are stored, and were not purged. */
  const found = (batchKey: string) =>
    Effect.gen(function* () {
      const batch = Option.getOrUndefined(yield* table.find(batchKey))
      if (batch === undefined || batch.phase === "storing") {
        return yield* new Execution.ExecutionNotFound({ workflow, businessKey: batchKey })
      }
      if (batch.phase === "purged") return yield* purged(batchKey, batch)
      // TypeScript narrows the member, not the batch.
      return { ...batch, phase: batch.phase }
    })

  const status = (batchKey: string) =>
    Effect.gen(function* () {
      const { phase, total } = yield* found(batchKey)
      const counts = yield* table.count(batchKey)
      const sum = (...states: ReadonlyArray<Batches.State>) =>
        states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
      return {
        phase,
        total,
        notStarted: sum("waiting"),
        creating: sum("sending", "unknown"),
        pending: sum("created", "pending"),
        ended: sum("completed", "notCompleted", "failed", "inDoubt", "purged")
      }
    })

  /** Changes the phase of a batch that is in one of these. */
  const enter = (batchKey: string, to: Batches.Phase, ...from: ReadonlyArray<Batches.Phase>) =>
    Effect.zipRight(
      found(batchKey),
      Effect.asVoid(table.change(batchKey, { phase: to }, { phases: from }))
    )

  const resultOf = (batchKey: string, { key, result, state }: Batches.Item) =>
    Effect.gen(function* () {
      const businessKey = yield* rules.businessKey(batchKey, key)
      const end = result === null ? Option.none() : Option.some(yield* rules.decodeEnd(result))
      return { key, businessKey, state, end }
    }).pipe(
      Effect.catchTag("ParseError", (cause) =>
        Effect.fail(new Execution.StorageError({ operation: "read the result of an item", cause }))
      )
    )

  return {
    found,
    resultOf,
    status,
    results: (batchKey: string, states?: ReadonlyArray<Batches.State>) =>
      Stream.concat(
        Stream.execute(found(batchKey)),
        Stream.paginateChunkEffect(-1, (after) =>
          Effect.gen(function* () {
            const items = yield* table.read(batchKey, { after, states }, itemsPerRead)
            // A purge in between must not look like the end.
            yield* found(batchKey)
            // A page that is not full is the last one.
            const next = Option.map(Arr.get(items, itemsPerRead - 1), ({ number }) => number)
            return [Chunk.unsafeFromArray(items), next] as const
          })
        ).pipe(Stream.mapEffect((item) => resultOf(batchKey, item)))
      ),
    pause: (batchKey: string) => enter(batchKey, "paused", "running"),
    resume: (batchKey: string) => enter(batchKey, "running", "paused"),
    interrupt: (batchKey: string) => enter(batchKey, "interrupted", "running", "paused"),
    purge: (batchKey: string) =>
      Effect.gen(function* () {
        // In this order: a batch without its items would look like one with other items.
        yield* table.change(batchKey, { phase: "purged" }, { phases: ["ended"] })
        const batch = Option.getOrUndefined(yield* table.find(batchKey))
        if (batch?.phase === "purged") return yield* table.clear(batchKey, batch.epoch)
        yield* found(batchKey)
        return yield* new Execution.ExecutionNotEnded({ workflow, businessKey: batchKey })
      })
  }
}
