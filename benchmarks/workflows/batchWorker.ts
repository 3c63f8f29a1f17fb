// Measures a batch of payouts in a process of its own, beside a table that is written by hand, and sends the result.
import * as Reactivity from "@effect/experimental/Reactivity"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payouts from "@manilla/payouts/Payouts"
import type { Batches } from "@manilla/workflows/Batch"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import type * as Engine from "@manilla/workflows/Engine"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Postgres from "@manilla/workflows/postgres"
import * as Sqlite from "@manilla/workflows/sqlite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { pathToFileURL } from "node:url"
import { payout, payoutAnswer } from "../messages.js"
import { gateway } from "../stub.js"
import type { BatchTask, MeasuredBatch } from "./Measured.js"
import * as store from "./store.js"

const task: BatchTask = JSON.parse(process.argv[2] ?? "")

/** Payouts of a service that answers at once: a creation, and a read of a completed payout. */
const payouts = Layer.provide(
  Payouts.layer,
  gateway((path) =>
    path.endsWith("/payouts")
      ? { status: 201, body: payoutAnswer("PENDING") }
      : { status: 200, body: payoutAnswer("COMPLETED") }
  )
)

const url = Redacted.make(task.url)

const engine: Layer.Layer<
  Batches | Engine.Engine | WorkflowEngine.WorkflowEngine,
  Sqlite.DatabaseUnavailable | Postgres.RunnerUnavailable | Engine.UnsupportedSchema
> =
  task.engine === "sqlite"
    ? Sqlite.layerSqlite({ file: task.file })
    : Postgres.layerPostgres({ url, host: "127.0.0.1", port: task.port })

const batches = PayoutBatch.layer({ concurrency: task.concurrency }).pipe(
  Layer.provide(DisbursePayout.layer()),
  Layer.provide(engine),
  Layer.provideMerge(payouts)
)

/** What an effect costs for each item. */
const measured = <A, E, R>(name: string, count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const reader = yield* store.readerOf(task)
    const before = yield* reader
    const startedCpu = process.cpuUsage()
    const [duration] = yield* Effect.timed(effect)
    const { system, user } = process.cpuUsage(startedCpu)
    const used = store.between(before, yield* reader)
    const result: MeasuredBatch = {
      engine: task.engine,
      name,
      perSecond: count / Duration.toSeconds(duration),
      cpuMillis: (system + user) / 1_000 / count,
      databaseMillis: used.cpuMillis / count,
      walBytes: used.walBytes / count
    }
    return result
  })

const runBatch = (key: string, count: number) =>
  Effect.gen(function* () {
    const service = yield* PayoutBatch.PayoutBatch
    const items = Stream.map(Stream.range(1, count), (number) => ({
      key: `${number}`,
      request: payout
    }))
    return yield* measured(
      "PayoutBatch",
      count,
      Effect.zipRight(service.start(key, items), service.await(key))
    )
  })

/** The requests of a payout, and what is done before and after them: 64 payouts at once. */
const each = <E>(
  name: string,
  count: number,
  before: (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<unknown, E>,
  after: (key: IdempotencyKey.IdempotencyKey, result: string) => Effect.Effect<unknown, E>
) =>
  Effect.gen(function* () {
    const client = yield* Payouts.Payouts
    const one = (number: number) =>
      Effect.gen(function* () {
        const key = IdempotencyKey.derive(name, `${number}`)
        yield* before(key)
        const { reference } = yield* client.create(payout, { key })
        yield* after(key, JSON.stringify(yield* client.awaitFinal(reference)))
      })
    const numbers = Array.from({ length: count }, (_, number) => number)
    return yield* measured(
      name,
      count,
      Effect.forEach(numbers, one, { concurrency: task.concurrency, discard: true })
    )
  })

const clientAlone = (count: number) =>
  each(
    "the client alone",
    count,
    () => Effect.void,
    () => Effect.void
  )

/** Each payout has a row, which is written before its request and after its end. */
const byHand = (count: number) =>
  Effect.gen(function* () {
    const sql =
      task.engine === "sqlite"
        ? yield* LibsqlClient.make({ url: pathToFileURL(`${task.file}.hand`).href })
        : yield* PgClient.make({ url, maxConnections: 10 })
    if (task.engine === "sqlite") yield* sql`PRAGMA journal_mode = WAL`
    yield* sql`CREATE TABLE IF NOT EXISTS by_hand (key TEXT PRIMARY KEY, result TEXT)`
    yield* sql`DELETE FROM by_hand`
    return yield* each(
      "a table by hand, one row at a time",
      count,
      (key) => sql`INSERT INTO by_hand (key) VALUES (${key})`,
      (key, result) => sql`UPDATE by_hand SET result = ${result} WHERE key = ${key}`
    )
  })

const driver = Effect.gen(function* () {
  const { count } = task
  yield* runBatch("warm", 500)
  const rounds: Array<MeasuredBatch> = []
  for (let round = 0; round < task.rounds; round++) {
    rounds.push(yield* clientAlone(count))
    rounds.push(yield* byHand(Math.round(count / 4)))
    rounds.push(yield* runBatch(`batch ${round}`, count))
  }
  return rounds
})

process.on("disconnect", () => process.exit(1))
const program = driver.pipe(Effect.scoped, Effect.provide(Layer.merge(batches, Reactivity.layer)))
const rounds = await Effect.runPromise(program)
process.send?.(rounds, () => process.exit(0))
