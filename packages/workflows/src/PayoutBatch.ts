/**
 * Pays many beneficiaries as one durable batch. Each item is an execution of `DisbursePayout` with a
 * business key, and so a service key, from the keys of the batch and of the item: no item is paid twice,
 * however often the process dies.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import * as Payout from "@manilla/payouts/Payout"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Batch from "./Batch.js"
import * as DisbursePayout from "./DisbursePayout.js"
import * as Durable from "./Durable.js"
import * as Engine from "./Engine.js"
import * as Execution from "./Execution.js"
import * as batch from "./internal/batch.js"
import { differences } from "./internal/differences.js"
import type * as Operator from "./Operator.js"
import * as Policy from "./Policy.js"

/**
 * The most items of a batch. Split a larger one: 10,000 payouts take about 3 MB.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxItems = 10_000

const Payload = Schema.Struct({
  items: Schema.Array(Batch.Item).pipe(
    Schema.filter((items) => items.length >= 1 && items.length <= maxItems, {
      description: `a list of 1 to ${maxItems} items; split a larger batch`
    })
  )
})

/** The items that have the key of an earlier one. */
const repeatedKeys = (items: ReadonlyArray<Batch.Item>): ReadonlyArray<Errors.Issue> => {
  const indices = new Map<string, number>()
  return items.flatMap(({ key }, index) => {
    const first = indices.get(key)
    if (first === undefined) indices.set(key, index)
    return first === undefined
      ? []
      : [{ field: `items.${index}.key`, rule: `must differ from the key of items.${first}` }]
  })
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
    /** The keys of items that the stored batch does not have. */
    added: Schema.Array(Schema.String),
    /** The keys of items that only the stored batch has. */
    missing: Schema.Array(Schema.String),
    /** Items with another request, and its members that differ, without their values. */
    changed: Schema.Array(
      Schema.Struct({ key: Schema.String, differs: Schema.Array(Schema.String) })
    )
  }
) {
  override get message(): string {
    const some = (label: string, names: ReadonlyArray<string>) =>
      names.length === 0
        ? []
        : [
            `${names.length} ${label} (${names.slice(0, 5).join(", ")}${names.length > 5 ? ", ..." : ""})`
          ]
    const parts = [
      ...some("added", this.added),
      ...some("missing", this.missing),
      ...some(
        "changed",
        this.changed.map(({ differs, key }) => `${key}: ${differs.join(" and ")}`)
      )
    ]
    return `the batch ${this.batchKey} was started with other items: ${parts.join("; ")}. Nothing was sent. Pay other items under another batch key.`
  }
}

/**
 * The methods of the `PayoutBatch` service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Starts a batch, and returns once it is stored: from then on it continues in every later life of the
   * process. With the same items, in any order, it may be called again, and changes nothing.
   */
  readonly start: (
    batchKey: string,
    items: ReadonlyArray<Batch.Item>
  ) => Effect.Effect<
    Execution.Status,
    | Execution.InvalidPayload
    | ItemsDiffer
    | Execution.ExecutionPurged
    | Execution.UnreadablePayload
    | Execution.StorageError
  >

  readonly status: (
    batchKey: string
  ) => Effect.Effect<
    Execution.Status,
    Execution.ExecutionNotFound | Execution.UnreadablePayload | Execution.StorageError
  >

  /** Emits the progress when it changes, and ends with the batch. */
  readonly progress: (
    batchKey: string
  ) => Stream.Stream<
    Batch.Progress,
    Execution.ExecutionNotFound | Execution.ExecutionPurged | Execution.StorageError
  >

  /** The present result of each item, in the order in which they were started. */
  readonly results: (
    batchKey: string
  ) => Stream.Stream<
    Batch.ItemResult,
    Execution.ExecutionNotFound | Execution.ExecutionPurged | Execution.StorageError
  >

  /** Waits for the end of the batch. The wait is in memory, and ends with the process. */
  readonly await: (
    batchKey: string
  ) => Effect.Effect<
    Batch.Summary,
    | Execution.ExecutionCancelled
    | Execution.ExecutionNotFound
    | Execution.ExecutionPurged
    | Execution.UnreadablePayload
    | Execution.StorageError
  >

  /** Starts no further items until `resume`. Items that were started continue. */
  readonly pause: (
    batchKey: string
  ) => Effect.Effect<void, Execution.ExecutionNotFound | Execution.StorageError>

  /** Ends a `pause`. */
  readonly resume: (
    batchKey: string
  ) => Effect.Effect<void, Execution.ExecutionNotFound | Execution.StorageError>

  /**
   * Starts no further items, for good. Items that were started continue, and the batch ends after the last
   * of them. To stop one of them, interrupt its `DisbursePayout`.
   */
  readonly interrupt: (
    batchKey: string
  ) => Effect.Effect<void, Execution.ExecutionNotFound | Execution.StorageError>
}

/**
 * Starts and operates batches of payouts by batch key.
 *
 * @since 0.1.0
 * @category services
 */
export class PayoutBatch extends Context.Tag("@manilla/workflows/PayoutBatch")<
  PayoutBatch,
  Service
>() {}

/**
 * Options of `layer`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * How many items may have no payout yet; 1 to 1,000, by default 10. An item leaves its place to the next when
   * its payout exists or it has ended. One whose outcome is unknown keeps its place, so that an outage puts no
   * more items in doubt.
   */
  readonly concurrency?: number | undefined
}

const name = "Manilla/PayoutBatch/1"

/** The workflow of a batch, which `PayoutBatch` is built on. */
class Batches extends Context.Tag("@manilla/workflows/PayoutBatch/Batches")<
  Batches,
  Operator.Service<typeof Payload.Type, Batch.Summary, Execution.ExecutionCancelled>
>() {}

const fromJson = Schema.decode(Schema.parseJson(Payload))
const encode = Schema.encodeSync(Payout.PayoutRequest)

const encodedByKey = (items: ReadonlyArray<Batch.Item>) =>
  new Map(items.map(({ key, request }) => [key, encode(request)]))

const make = Effect.gen(function* () {
  const engine = yield* Engine.Engine
  const batches = yield* Batches
  const disburse = yield* DisbursePayout.DisbursePayout

  /** The items of a batch. */
  const itemsOf = (batchKey: string) =>
    Effect.gen(function* () {
      const named = { workflow: name, businessKey: batchKey }
      const { end, isPurged, payload } = yield* Effect.flatMap(
        engine.find(named),
        Option.match({
          onNone: () => Effect.fail(new Execution.ExecutionNotFound(named)),
          onSome: Effect.succeed
        })
      )
      if (isPurged && end !== undefined) {
        const { atMillis: endedMillis, state } = end
        return yield* new Execution.ExecutionPurged({ ...named, state, endedMillis })
      }
      const { items } = yield* Effect.mapError(
        fromJson(payload),
        (cause) => new Execution.StorageError({ operation: "read the items of a batch", cause })
      )
      return items
    })

  const setPaused = (batchKey: string, isPaused: boolean) => {
    const named = { workflow: name, businessKey: batchKey }
    return Effect.flatMap(
      engine.modify(named, (execution) => [undefined, { ...execution, isPaused }]),
      Option.match({
        onNone: () => Effect.fail(new Execution.ExecutionNotFound(named)),
        onSome: () => Effect.void
      })
    )
  }

  /** The stored batch, if it has the same items in another order. */
  const startAgain = (batchKey: string, items: ReadonlyArray<Batch.Item>) =>
    Effect.gen(function* () {
      const earlier = encodedByKey(yield* itemsOf(batchKey))
      const later = encodedByKey(items)
      const added = [...later.keys()].filter((key) => !earlier.has(key))
      const missing = [...earlier.keys()].filter((key) => !later.has(key))
      const changed = [...later].flatMap(([key, request]) => {
        const differs = earlier.has(key) ? differences(earlier.get(key), request) : []
        return differs.length === 0 ? [] : [{ key, differs }]
      })
      return added.length + missing.length + changed.length === 0
        ? yield* batches.status(batchKey)
        : yield* new ItemsDiffer({ batchKey, added, missing, changed })
    }).pipe(
      // It was found a moment ago.
      Effect.catchTag("ExecutionNotFound", (cause) =>
        Effect.fail(new Execution.StorageError({ operation: "read a batch", cause }))
      )
    )

  const service: Service = {
    start: (batchKey, items) =>
      Effect.gen(function* () {
        const issues = repeatedKeys(items)
        if (issues.length > 0) {
          return yield* new Execution.InvalidPayload({
            workflow: name,
            businessKey: batchKey,
            issues
          })
        }
        return yield* batches
          .start(batchKey, { items })
          .pipe(Effect.catchTag("PayloadMismatch", () => startAgain(batchKey, items)))
      }),
    status: batches.status,
    progress: (batchKey) =>
      Stream.unwrap(
        Effect.map(itemsOf(batchKey), (items) =>
          Stream.repeatEffectWithSchedule(
            batch.progressOf(engine, disburse, name, batchKey, items),
            Schedule.spaced(progressMillis(items.length))
          ).pipe(
            Stream.takeUntil(({ isEnded }) => isEnded),
            Stream.map(({ progress }) => progress),
            Stream.changesWith(isSame)
          )
        )
      ),
    results: (batchKey) =>
      Stream.unwrap(
        Effect.map(itemsOf(batchKey), (items) => batch.resultsOf(engine, disburse, batchKey, items))
      ),
    await: batches.await,
    pause: (batchKey) => setPaused(batchKey, true),
    resume: (batchKey) => setPaused(batchKey, false),
    interrupt: batches.interrupt
  }
  return service
})

/** How often `progress` reads the items: a large batch less often. */
const progressMillis = (items: number): number => Math.max(500, items / 2)

const isSame = (a: Batch.Progress, b: Batch.Progress): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

const concurrencyOf = ({ concurrency = 10 }: Options) =>
  Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
    ? Either.right(concurrency)
    : Either.left(
        new Policy.InvalidPolicy({
          issues: [{ field: "concurrency", rule: "must be an integer from 1 to 1000" }]
        })
      )

/**
 * A layer that runs batches and provides `PayoutBatch`. Fails with `InvalidPolicy` if `concurrency` is out of its
 * range.
 *
 * @example
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const layer = PayoutBatch.layer({ concurrency: 20 }).pipe(Layer.provide(DisbursePayout.layer()))
 *
 * const program = Effect.gen(function* () {
 *   const batches = yield* PayoutBatch.PayoutBatch
 *   yield* batches.start("payroll:2026-11", [
 *     {
 *       key: "E007",
 *       request: {
 *         wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
 *         amount: "250000",
 *         currency: "XOF",
 *         country: "BJ",
 *         payment_method: "mtn_momo",
 *         destination: "+2290161234567"
 *       }
 *     }
 *   ])
 *   return yield* batches.await("payroll:2026-11")
 * })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  PayoutBatch,
  Durable.LayerError,
  DisbursePayout.DisbursePayout | Engine.Engine | WorkflowEngine.WorkflowEngine
> =>
  Layer.unwrapEffect(
    Effect.map(concurrencyOf(options), (concurrency) => {
      const batches = Durable.layer(Batches, {
        name,
        payload: Payload,
        success: Batch.Summary,
        error: Execution.ExecutionCancelled,
        // One step, so that a batch stores the same few rows however long it runs.
        body: ({ items }) =>
          Durable.step({
            name: "pay the items",
            success: Batch.Summary,
            error: Schema.Never,
            execute: Effect.gen(function* () {
              const engine = yield* Engine.Engine
              const disburse = yield* DisbursePayout.DisbursePayout
              return yield* batch.run(engine, disburse, concurrency, items)
            })
          })
      })
      return Layer.effect(PayoutBatch, make).pipe(Layer.provide(batches))
    })
  )
