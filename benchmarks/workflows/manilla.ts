// `DisbursePayout` and `PayoutBatch` on each engine.
import * as Workflow from "@effect/workflow/Workflow"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Postgres from "@manilla/workflow-engine/postgres"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { payout } from "../messages.js"
import * as payouts from "./payouts.js"
import { each, type Key, type Open, type Places, waitMillis } from "./programs.js"

/** An execution that creates a payout, and then sleeps for longer than the measurement. */
const Sleeper = Workflow.make({
  name: "Bench/Sleeper/1",
  payload: { key: IdempotencyKey.IdempotencyKey, ...Payout.PayoutRequest.fields },
  error: Durable.WriteError,
  idempotencyKey: ({ key }) => key
})

let asleep = 0

const sleeper = Sleeper.toLayer(({ key, ...request }) =>
  Effect.gen(function* () {
    const service = yield* Payouts.Payouts
    yield* Durable.write({
      operation: "Bench.sleep",
      key,
      success: Payout.CreatedPayout,
      idOf: ({ reference }) => reference,
      send: (key) => service.create(request, { key })
    })
    asleep++
    yield* Effect.orDie(Durable.sleep("night", "1 day"))
  })
)

/** An execution that takes a known time. */
const Waiter = Workflow.make({
  name: "Bench/Waiter/1",
  payload: { key: IdempotencyKey.IdempotencyKey },
  idempotencyKey: ({ key }) => key
})

const waiter = Waiter.toLayer(() => Effect.sleep(waitMillis))

type Engine = Layer.Layer<Layer.Layer.Success<typeof Memory.layerMemory>, unknown>

const onPostgres = ({ url }: Places): Engine => Postgres.layerPostgres({ url: Redacted.make(url) })

const onSqlite = ({ file }: Places): Engine => Sqlite.layerSqlite({ file })

const onMemory = (): Engine => Memory.layerMemory

/** Keeps layers for as long as the worker runs. */
const on =
  <R, E>(layer: Layer.Layer<R, E>) =>
  <A>(effect: Effect.Effect<A, unknown, R>) =>
    Effect.flatMap(Layer.build(layer), (context) => Effect.provide(effect, context))

const single =
  (engine: (places: Places) => Engine): Open =>
  (places) =>
    Effect.gen(function* () {
      const disburse = yield* Operator.of(DisbursePayout.workflow)
      const waiters = yield* Operator.of(Waiter)
      const sleepers = yield* Operator.of(Sleeper)
      return {
        pay: each((key) =>
          Effect.zipRight(disburse.start({ key, ...payout }), disburse.await(key))
        ),
        wait: each((key) => Effect.zipRight(waiters.start({ key }), waiters.await(key))),
        sleep: (keys: ReadonlyArray<Key>, atOnce: number) =>
          Effect.gen(function* () {
            const all = asleep + keys.length
            const start = each((key) => sleepers.start({ key, ...payout }))
            const started = yield* start(keys, atOnce)
            while (asleep < all) yield* Effect.sleep("50 millis")
            return started
          })
      }
    }).pipe(
      on(
        Layer.mergeAll(sleeper, waiter, DisbursePayout.layer).pipe(
          Layer.provide(payouts.layer(places.port)),
          Layer.provideMerge(engine(places))
        )
      )
    )

const batches =
  (engine: (places: Places) => Engine): Open =>
  (places) =>
    Effect.map(PayoutBatch.PayoutBatch, (service) => ({
      pay: (keys: ReadonlyArray<Key>) =>
        Effect.gen(function* () {
          const [batch = ""] = keys
          const items = Stream.map(Stream.fromIterable(keys), (key) => ({ key, request: payout }))
          yield* service.start(batch, items)
          yield* service.await(batch)
          return []
        })
    })).pipe(
      on(
        PayoutBatch.layer({ concurrency: 64 }).pipe(
          Layer.provide(DisbursePayout.layer),
          Layer.provide(payouts.layer(places.port)),
          Layer.provide(engine(places))
        )
      )
    )

export const postgres = single(onPostgres)
export const sqlite = single(onSqlite)
export const memory = single(onMemory)
export const postgresBatch = batches(onPostgres)
export const sqliteBatch = batches(onSqlite)
