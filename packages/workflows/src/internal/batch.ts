import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as DisbursePayout from "../DisbursePayout.js"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import type * as Operator from "../Operator.js"
import type * as Batch from "../Batch.js"
import { differences } from "./differences.js"
import { persistently } from "./persistently.js"
import { Running } from "../Running.js"

/** Between two looks at the items of a batch: shorter while items end, longer while nothing happens. */
const shortestTickMillis = 200
const longestTickMillis = 5_000
/** The sweeper wakes a batch that has not ticked for this time. */
const stalledMillis = Duration.toMillis("1 minute")

/** How many items are started at once: as many as a runner has connections to its database. */
const concurrentStarts = 10

/** How many results are read at once. */
const concurrentReads = 10
const itemsPerRead = 100

type Disburse = Operator.Service<
  DisbursePayout.Payload,
  Payout.Payout,
  DisbursePayout.DisburseError
>

/** Different pairs of keys give different business keys, which are within the limit of a business key. */
export const itemKey = (batchKey: string, key: string): Effect.Effect<string> =>
  IdempotencyKey.deriveLong("PayoutBatch", batchKey, key)

const isStorageError = (error: { readonly _tag: string }): error is Execution.StorageError =>
  error._tag === "StorageError"

/**
 * Starts the items of a batch until all have ended. It keeps nothing: a later life of the process finds
 * the items that were started in the store.
 */
const drive = (
  engine: Engine.Service,
  disburse: Disburse,
  concurrency: number,
  items: ReadonlyArray<Batch.Item>
) =>
  Effect.gen(function* () {
    const running = yield* Running
    const name = { workflow: running.workflow, businessKey: running.businessKey }
    const stored = (keys: ReadonlyArray<string>) =>
      persistently(engine.findAll(disburse.workflow, keys), isStorageError)

    /** The engine stores the result of an item after its end is recorded. */
    const isOpen = ({ businessKey, end, isPurged }: Execution.Execution) =>
      end === undefined
        ? Effect.succeed(true)
        : isPurged
          ? Effect.succeed(false)
          : persistently(disburse.poll(businessKey), isStorageError).pipe(
              Effect.map(Option.isNone),
              // It continues when a process can read its payload.
              Effect.catchAll(({ _tag }) => Effect.succeed(_tag === "UnreadablePayload"))
            )

    const all = yield* Effect.forEach(items, (item) =>
      Effect.map(itemKey(name.businessKey, item.key), (key) => ({ ...item, key }))
    )
    const known = new Map(
      (yield* stored(all.map(({ key }) => key))).map((item) => [item.businessKey, item])
    )
    const waiting = all.filter(({ key }) => !known.has(key))
    /** Items whose payouts do not exist yet. */
    let creating = all.flatMap(({ key }) => (known.has(key) ? [key] : []))
    /** Items whose payouts exist. They are read less often. */
    let pending: ReadonlyArray<string> = []
    let pendingDueMillis = 0

    let tickMillis = shortestTickMillis
    while (true) {
      const created = yield* stored(creating)
      const open = yield* Effect.filter(created, isOpen)
      const unmade = open.filter(({ resource }) => resource === undefined)
      const hasChanged = unmade.length < creating.length
      creating = unmade.map(keyOf)
      pending = [...pending, ...open.filter(({ resource }) => resource !== undefined).map(keyOf)]

      const now = yield* Clock.currentTimeMillis
      if (now >= pendingDueMillis) {
        pending = (yield* Effect.filter(yield* stored(pending), isOpen)).map(keyOf)
        pendingDueMillis = now + longestTickMillis
      }

      const isCancelled = yield* running.due(undefined, stalledMillis)
      const batch = yield* persistently(engine.find(name), isStorageError)
      const isPaused = Option.exists(batch, (execution) => execution.isPaused)
      const isOver = waiting.length === 0 || isCancelled
      if (isOver && creating.length + pending.length === 0) return

      // Also those in a pause: their outcomes may be unknown, and an outage must not put more in doubt.
      const room = isPaused || isCancelled ? 0 : Math.max(0, concurrency - creating.length)
      const next = waiting.splice(0, room)
      yield* Effect.forEach(
        next,
        ({ key, request }) =>
          persistently(disburse.start(key, request), isStorageError).pipe(
            // Somebody has used the key of the item for another payout. Its result says so.
            Effect.catchAll((error) => Effect.logError(error.message))
          ),
        { concurrency: concurrentStarts, discard: true }
      )
      creating.push(...next.map(({ key }) => key))

      const isBusy = hasChanged || next.length > 0
      tickMillis = isBusy ? shortestTickMillis : Math.min(tickMillis * 1.5, longestTickMillis)
      yield* Effect.sleep(tickMillis)
    }
  })

const keyOf = ({ businessKey }: Execution.Execution): string => businessKey

const encode = Schema.encodeSync(Payout.PayoutRequest)

/** The present results of items, in their order. */
export const resultsOf = (
  engine: Engine.Service,
  disburse: Disburse,
  batchKey: string,
  items: ReadonlyArray<Batch.Item>
): Stream.Stream<Batch.ItemResult, Execution.StorageError> => {
  const resultOf = (
    { key, request }: Batch.Item,
    businessKey: string,
    stored: Execution.Execution | undefined
  ): Effect.Effect<Batch.ItemResult, Execution.StorageError> => {
    const end = Option.none()
    if (stored === undefined) return Effect.succeed({ key, businessKey, state: "NotStarted", end })
    const { state } = Execution.toStatus(stored)
    if (stored.isPurged) return Effect.succeed({ key, businessKey, state, end })
    if (differences(JSON.parse(stored.payload), encode(request)).length > 0) {
      return Effect.succeed({ key, businessKey, state: "Refused", end })
    }
    return disburse.poll(businessKey).pipe(
      Effect.catchTag(
        "ExecutionNotFound",
        "ExecutionPurged",
        "UnreadablePayload",
        () => Effect.succeedNone
      ),
      Effect.map((end) => ({ key, businessKey, state, end }))
    )
  }

  return Stream.fromIterable(items).pipe(
    Stream.grouped(itemsPerRead),
    Stream.mapEffect((group) =>
      Effect.gen(function* () {
        const keyed = yield* Effect.forEach(group, (item) =>
          Effect.map(itemKey(batchKey, item.key), (businessKey) => ({ item, businessKey }))
        )
        const keys = keyed.map(({ businessKey }) => businessKey)
        const found = yield* engine.findAll(disburse.workflow, keys)
        const byKey = new Map(found.map((execution) => [execution.businessKey, execution]))
        return yield* Effect.forEach(
          keyed,
          ({ businessKey, item }) => resultOf(item, businessKey, byKey.get(businessKey)),
          { concurrency: concurrentReads }
        )
      })
    ),
    Stream.flattenIterables
  )
}

/** Runs the items of a batch to their ends, and counts these. */
export const run = (
  engine: Engine.Service,
  disburse: Disburse,
  concurrency: number,
  items: ReadonlyArray<Batch.Item>
) =>
  Effect.gen(function* () {
    yield* drive(engine, disburse, concurrency, items)
    const { businessKey } = yield* Running
    const none: Batch.Summary = {
      total: items.length,
      completed: 0,
      notCompleted: 0,
      failed: 0,
      inDoubt: 0,
      notStarted: 0,
      purged: 0
    }
    const counted = Stream.runFold(
      resultsOf(engine, disburse, businessKey, items),
      none,
      (summary, result) => {
        const count = countOf(result)
        return { ...summary, [count]: summary[count] + 1 }
      }
    )
    return yield* persistently(counted, isStorageError)
  })

/** The items of a batch by state. */
export const progressOf = (
  engine: Engine.Service,
  disburse: Disburse,
  workflow: string,
  batchKey: string,
  items: ReadonlyArray<Batch.Item>
) =>
  Effect.gen(function* () {
    const batch = yield* engine.find({ workflow, businessKey: batchKey })
    const keys = yield* Effect.forEach(items, ({ key }) => itemKey(batchKey, key))
    const stored = yield* engine.findAll(disburse.workflow, keys)
    const open = stored.filter(({ end }) => end === undefined)
    const creating = open.filter(({ resource }) => resource === undefined).length
    return {
      isEnded: Option.match(batch, { onNone: () => true, onSome: ({ end }) => end !== undefined }),
      progress: {
        total: items.length,
        notStarted: items.length - stored.length,
        creating,
        pending: open.length - creating,
        ended: stored.length - open.length,
        isPaused: Option.exists(batch, ({ isPaused }) => isPaused),
        isCancelRequested: Option.exists(batch, ({ isCancelRequested }) => isCancelRequested)
      }
    }
  })

/** How an item counts in the summary of its batch. */
const countOf = ({ end, state }: Batch.ItemResult): Exclude<keyof Batch.Summary, "total"> => {
  if (state === "NotStarted" || state === "Refused") return "notStarted"
  if (Option.isNone(end)) return "purged"
  return Exit.match(end.value, {
    onSuccess: ({ status }) => (status === "COMPLETED" ? "completed" : "notCompleted"),
    onFailure: (cause) =>
      cause._tag === "Fail" && Errors.outcome(cause.error) === "notApplied" ? "failed" : "inDoubt"
  })
}
