import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { purged } from "./load.js"
import * as rules from "./rules.js"

const itemsPerRead = 500

/** The operations on batches, all of which are changes of their table. */
export const make = (table: Batches.Service) => {
  const stored = (batchKey: string) =>
    Effect.gen(function* () {
      const batch = Option.getOrUndefined(yield* table.find(batchKey))
      if (batch === undefined || batch.phase === "storing") {
        return yield* new Execution.ExecutionNotFound({
          workflow: rules.workflowName,
          businessKey: batchKey
        })
      }
      return { ...batch, phase: batch.phase }
    })

  const found = (batchKey: string) =>
    Effect.flatMap(stored(batchKey), ({ phase, ...batch }) =>
      phase === "purged"
        ? Effect.fail(purged(batchKey, batch))
        : Effect.succeed({ ...batch, phase })
    )

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

  /** Changes the phase of a batch that is in one of these. Returns whether it was. */
  const enter = (batchKey: string, to: Batches.Phase, ...from: ReadonlyArray<Batches.Phase>) =>
    Effect.zipRight(found(batchKey), table.change(batchKey, { phase: to }, { phases: from }))

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
    status,
    results: (batchKey: string) =>
      Stream.unwrap(
        Effect.as(
          found(batchKey),
          Stream.paginateChunkEffect(-1, (after) =>
            Effect.map(table.read(batchKey, { after }, itemsPerRead), (items) => [
              Chunk.unsafeFromArray(items),
              Option.filter(
                Option.fromNullable(items.at(-1)?.number),
                () => items.length === itemsPerRead
              )
            ])
          ).pipe(Stream.mapEffect((item) => resultOf(batchKey, item)))
        )
      ),
    pause: (batchKey: string) => enter(batchKey, "paused", "running"),
    resume: (batchKey: string) => enter(batchKey, "running", "paused"),
    interrupt: (batchKey: string) => enter(batchKey, "interrupted", "running", "paused"),
    purge: (batchKey: string) =>
      Effect.gen(function* () {
        const { epoch, phase } = yield* stored(batchKey)
        if (phase !== "ended" && phase !== "purged") {
          return yield* new Execution.ExecutionNotEnded({
            workflow: rules.workflowName,
            businessKey: batchKey
          })
        }
        // In this order: a batch without its items would look like one with other items.
        yield* table.change(batchKey, { phase: "purged" }, { phases: [phase] })
        yield* table.clear(batchKey, epoch)
      })
  }
}
