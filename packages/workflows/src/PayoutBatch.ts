/**
 * Pays many beneficiaries as one durable batch. Each item has a key from the keys of the batch and of the item:
 * no item is paid twice, however often the process dies. The batch sends the first request of each item, and looks at its
 * payout. An item that is unknown, or not final after that look, is handed over to an execution of `DisbursePayout`.
 *
 * @since 0.1.0
 */
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Payouts from "@manilla/payouts/Payouts"
import type * as Engine from "@manilla/workflow-engine/Engine"
import type * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import { persistently } from "@manilla/workflow-engine/Store"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Batch from "./Batch.js"
import { BatchEngine } from "./BatchEngine.js"
import { load } from "./internal/batch/load.js"
import * as operate from "./internal/batch/operate.js"
import { run } from "./internal/batch/own.js"
import * as beneath from "./internal/batch/ownEngine.js"
import * as rules from "./internal/batch/rules.js"
import * as Policy from "./Policy.js"

type ReadError = Execution.ExecutionNotFound | Execution.ExecutionPurged | Execution.StorageError

/**
 * The methods of the `PayoutBatch` service.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Starts a batch, and returns once all items are stored: from then on it continues in every later life of the
   * process. With the same items, in any order, it may be called again, and changes nothing. Nothing is sent
   * if one item breaks a rule, or the stream fails. If the process dies before it returns, nothing is sent until it is
   * called again.
   */
  readonly start: <E, R>(
    batchKey: string,
    items: Stream.Stream<Batch.Item, E, R>
  ) => Effect.Effect<
    void,
    E | Batch.InvalidItems | Batch.ItemsDiffer | Execution.ExecutionPurged | Execution.StorageError,
    R
  >

  /** The items by state. */
  readonly status: (batchKey: string) => Effect.Effect<Batch.Progress, ReadError>

  /** Emits the progress when it changes, and ends with the batch. */
  readonly progress: (batchKey: string) => Stream.Stream<Batch.Progress, ReadError>

  /** The present result of each item, or of those in these states, in the order in which they were started. */
  readonly results: (
    batchKey: string,
    states?: ReadonlyArray<Batch.ItemResult["state"]>
  ) => Stream.Stream<Batch.ItemResult, ReadError>

  /** The items whose outcome is unknown at present, at most a thousand: what the service said, and the next try. */
  readonly doubts: (
    batchKey: string
  ) => Effect.Effect<ReadonlyArray<Batch.Doubt>, Execution.StorageError>

  /**
   * Waits for the end of the batch: looks twice a second. The wait is in memory, and ends with the process. It fails with
   * `BatchStopped` if the engine beneath has stopped the batch, or all items that are under way. The engines of Manilla stop
   * none: a payout that is parked waits for its `resume`, and this wait goes on.
   */
  readonly await: (batchKey: string) => Effect.Effect<Batch.Summary, ReadError | Batch.BatchStopped>

  /** Sends no further items until `resume`. Items that were sent continue. */
  readonly pause: (batchKey: string) => Effect.Effect<void, ReadError>

  /** Ends a `pause`. */
  readonly resume: (batchKey: string) => Effect.Effect<void, ReadError>

  /**
   * Sends no further items, for good. Items that were sent continue, and the batch ends after the last of them.
   * To stop one that was handed over, interrupt its `DisbursePayout`.
   */
  readonly interrupt: (batchKey: string) => Effect.Effect<void, ReadError>

  /**
   * Deletes the items and the results of a batch that has ended. The batch key stays taken, so that it does not
   * move money again. The executions of items that were handed over are purged by `Executions`.
   */
  readonly purge: (batchKey: string) => Effect.Effect<void, ReadError | Execution.ExecutionNotEnded>
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
 * The workflow of a batch: it owns the batch, whose items are in a table.
 *
 * @since 0.1.0
 * @category workflows
 */
export const workflow = Workflow.make({
  name: rules.workflowName,
  payload: { key: Schema.String },
  success: Batch.Summary,
  idempotencyKey: ({ key }) => key
})

const ownEngine = beneath.layer(Effect.map(Operator.of(workflow), ({ start }) => start))

const itemsPerRead = 1_000
const betweenLooks = Schedule.union(
  Schedule.exponential("10 millis"),
  Schedule.spaced("500 millis")
)

const operator: Layer.Layer<PayoutBatch, never, BatchEngine> = Layer.effect(
  PayoutBatch,
  Effect.gen(function* () {
    const { batches: table, findBatch, findPayout, startBatch } = yield* BatchEngine
    const { found, ...operations } = operate.make(table)
    /** An execution. None if it cannot be read. */
    const readable = <A, E>(found: Effect.Effect<Option.Option<A>, E>) =>
      found.pipe(
        Effect.catchAllDefect(() => Effect.succeedNone),
        Effect.map(Option.getOrUndefined)
      )
    /** The execution of an item. None for one that is about to be handed over. */
    const executionOf = (batchKey: string, key: string) =>
      readable(Effect.flatMap(rules.businessKey(batchKey, key), findPayout))
    const doubtOf = (batchKey: string, key: string) =>
      Effect.gen(function* () {
        const execution = yield* executionOf(batchKey, key)
        const unknown = Effect.succeed({ error: undefined, nextMillis: undefined })
        return { key, stopped: execution?.stopped, ...(yield* execution?.doubt ?? unknown) }
      })
    /** The items under way, if the engine beneath continues none of them. */
    const stopped = (batchKey: string) =>
      operations.results(batchKey, ["sending", "created", "unknown", "pending"]).pipe(
        Stream.mapEffect(({ key }) =>
          Effect.flatMap(executionOf(batchKey, key), (execution) =>
            Effect.map(Effect.fromNullable(execution?.stopped), (why) => ({ key, why }))
          )
        ),
        Stream.runCollect,
        Effect.map(Chunk.toReadonlyArray),
        // The first item that is continued.
        Effect.catchTag("NoSuchElementException", () => Effect.succeed([]))
      )
    return PayoutBatch.of({
      ...operations,
      start: (batchKey, items) => {
        const begin = startBatch({ key: batchKey }).pipe(
          Effect.catchTag("InvalidPayload", "PayloadMismatch", "UnreadablePayload", Effect.die)
        )
        return load(table, batchKey, items, begin)
      },
      doubts: (batchKey) =>
        Effect.flatMap(table.read(batchKey, { states: ["unknown"] }, itemsPerRead), (items) =>
          Effect.forEach(items, ({ key }) => doubtOf(batchKey, key))
        ),
      progress: (batchKey) =>
        Stream.repeatEffectWithSchedule(
          operations.status(batchKey),
          Schedule.spaced("500 millis")
        ).pipe(
          Stream.takeUntil(({ phase }) => phase === "ended"),
          Stream.changesWith((a, b) => JSON.stringify(a) === JSON.stringify(b))
        ),
      await: (batchKey) =>
        Effect.gen(function* () {
          // Only this look fails with the database: the batch goes on while that is away.
          yield* found(batchKey)
          const look = persistently(found(batchKey))
          const ended = Effect.repeat(look, {
            schedule: betweenLooks,
            until: ({ phase }) => phase === "ended"
          })
          const looksForStopped = Effect.gen(function* () {
            const execution = yield* persistently(readable(findBatch(batchKey)))
            const items = yield* persistently(stopped(batchKey))
            const why = execution?.stopped
            const { phase } = yield* look
            if (phase !== "ended" && (why !== undefined || items.length > 0)) {
              return yield* new Batch.BatchStopped({ batchKey, why, items })
            }
          })
          const never = Effect.repeat(looksForStopped, Schedule.spaced("30 seconds"))
          yield* Effect.raceFirst(ended, never)
          const { total } = yield* look
          return yield* persistently(operate.summaryOf(table, batchKey, total))
        })
    })
  })
)

/**
 * A layer that starts and operates batches, and runs none: `layer` in another process does, or in this one later.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOperator: Layer.Layer<PayoutBatch, never, Engine.Engine> = Layer.provide(
  operator,
  ownEngine
)

/**
 * The options of the layers that run batches.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * How many first requests may go on at once; 1 to 1,000, by default 10. An item leaves its place to the next when its
   * payout exists, it has ended, or its outcome is unknown. If five times as many are unknown, no others are sent, so that an
   * outage puts no more items in doubt.
   */
  readonly concurrency?: number | undefined
}

const isConcurrency = (value: number) => Number.isInteger(value) && value >= 1 && value <= 1_000

/**
 * A layer that runs batches and provides `PayoutBatch`. Run the layer of `DisbursePayout` beside it: without that, an
 * item that is handed over waits. Fails with `InvalidPolicy` if `concurrency` is out of its
 * range.
 *
 * @example
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Stream from "effect/Stream"
 *
 * const layer = PayoutBatch.layer({ concurrency: 20 }).pipe(Layer.provide(DisbursePayout.layer))
 *
 * const program = Effect.gen(function* () {
 *   const batches = yield* PayoutBatch.PayoutBatch
 *   const items = Stream.make({
 *     key: "E007",
 *     request: {
 *       wallet_id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
 *       amount: "250000",
 *       currency: "XOF",
 *       country: "BJ",
 *       payment_method: "mtn_momo",
 *       destination: "+2290161234567"
 *     }
 *   })
 *   yield* batches.start("payroll:2026-11", items)
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
  Policy.InvalidPolicy,
  Payouts.Payouts | Engine.Engine | WorkflowEngine.WorkflowEngine
> => Layer.provide(layerOn(options), ownEngine)

/**
 * The same on another engine: `BatchEngine` starts and finds its executions, and `Steps.layer` gives it the body of the batch,
 * which has no steps. The page "Which engine" has a program for DBOS.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOn = ({ concurrency = 10 }: Options = {}): Layer.Layer<
  PayoutBatch,
  Policy.InvalidPolicy,
  Payouts.Payouts | BatchEngine | WorkflowEngine.WorkflowEngine
> => {
  const body = Layer.unwrapEffect(
    Effect.gen(function* () {
      if (!isConcurrency(concurrency)) {
        return yield* new Policy.InvalidPolicy({
          issues: [{ field: "concurrency", rule: "must be an integer from 1 to 1000" }]
        })
      }
      const turns = yield* Effect.makeSemaphore(1)
      return workflow.toLayer(({ key: batchKey }) => run({ batchKey, concurrency, turns }))
    })
  )
  return Layer.merge(operator, body)
}
