import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import type * as Batches from "@manilla/workflow-engine/Batches"
import { differences } from "@manilla/workflow-engine/Encoding"
import { persistently } from "@manilla/workflow-engine/Store"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import { BatchEngine, type PayoutExecution } from "../../BatchEngine.js"
import type { Owner } from "./owner.js"
import * as rules from "./rules.js"

const itemsPerLook = 500
const concurrentLooks = 100
/** All batches of a process together look at a thousand items a second, so that a long wait leaves it time to work. */
const millisPerItem = 1
/** Between two looks at executions: shorter while they end, longer while nothing happens. */
const shortestTickMillis = 200
const longestTickMillis = 5_000

/** The result of an item, from its execution. Undefined if there is nothing new. */
const resultOf = (
  item: Batches.Item,
  { end, isCreated, payload }: PayoutExecution
): rules.Result | undefined => {
  if (payload === undefined) return { state: "purged" }
  const request = Struct.omit(payload, "key", "reference", "sentMillis")
  if (differences(request, JSON.parse(item.request)).length > 0) {
    return rules.afterExecution(Exit.die(`${payload.key} belongs to another payout`))
  }
  if (end !== undefined) return rules.afterExecution(end)
  return item.state === "unknown" && isCreated === true ? { state: "pending" } : undefined
}

/** Hands items over, and follows their executions to the end. */
export const follow = (
  { batchKey, turns }: Owner,
  numbers: () => ReadonlyArray<number>,
  arrive: (change: Batches.Change) => void
) =>
  Effect.gen(function* () {
    const { batches: table, findPayout, startPayout } = yield* BatchEngine
    /** The items of which was told that nothing continues them. */
    const told = new Set<number>()

    /** Hands an item over to an execution of `DisbursePayout`, which continues its request with the same key. */
    const handOver = (key: IdempotencyKey.IdempotencyKey, item: Batches.Item) =>
      persistently(
        startPayout({
          ...JSON.parse(item.request),
          key,
          sentMillis: item.sent ?? undefined,
          reference: item.reference === null ? undefined : Payout.makeReference(item.reference)
        })
      ).pipe(
        Effect.as(undefined),
        // The schema of this process refuses the stored request: no execution can continue it.
        Effect.catchTag("InvalidPayload", (error) =>
          Effect.succeed(rules.afterExecution(Exit.die(error)))
        ),
        // The next look sees a purge or another payload. Any other process may read the payload.
        Effect.orElseSucceed(() => undefined)
      )

    /** Returns whether something has changed. */
    const lookAt = (item: Batches.Item) =>
      Effect.gen(function* () {
        const businessKey = yield* rules.businessKey(batchKey, item.key)
        const found = yield* persistently(findPayout(businessKey))
        const stopped = Option.getOrUndefined(found)?.stopped
        if (stopped !== undefined && !told.has(item.number)) {
          told.add(item.number)
          yield* Effect.logWarning(`The item ${item.key} of the batch ${batchKey}: ${stopped}`)
        }
        const result = Option.isNone(found)
          ? yield* handOver(businessKey, item)
          : resultOf(item, found.value)
        if (result !== undefined) arrive({ number: item.number, ...result })
        return result !== undefined || Option.isNone(found)
      }).pipe(
        // Such as an end that this process cannot read.
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logError(`A defect in the item ${item.key} of a batch`, defect), false)
        )
      )

    const lookAtSome = (some: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const items = yield* persistently(
          table.read(batchKey, { numbers: some, states: ["unknown", "pending"] }, itemsPerLook)
        )
        const changes = yield* Effect.forEach(items, lookAt, { concurrency: concurrentLooks })
        yield* Effect.sleep(millisPerItem * items.length)
        return changes.includes(true)
      }).pipe(turns.withPermits(1))

    let tickMillis = shortestTickMillis
    while (true) {
      const changes = yield* Effect.forEach(Arr.chunksOf(numbers(), itemsPerLook), lookAtSome)
      tickMillis = changes.includes(true)
        ? shortestTickMillis
        : Math.min(tickMillis * 1.5, longestTickMillis)
      yield* Effect.sleep(tickMillis)
    }
  })
