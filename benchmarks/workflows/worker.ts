// Measures one cell in a process of its own, and reports what is measured so far. A helper is a further
// runner on PostgreSQL.
import * as Reactivity from "@effect/experimental/Reactivity"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as Engine from "@manilla/workflows/Engine"
import * as Memory from "@manilla/workflows/memory"
import type * as Operator from "@manilla/workflows/Operator"
import * as Postgres from "@manilla/workflows/postgres"
import * as Sqlite from "@manilla/workflows/sqlite"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { quantile } from "../report/statistics.js"
import { heapBytes } from "../waits/heap.js"
import * as stub from "../waits/stub.js"
import * as subject from "../waits/subject.js"
import { payout, payoutAnswer } from "../wire/messages.js"
import type { Busy, Latency, Measured, Task } from "./Measured.js"
import * as store from "./store.js"

const task: Task = JSON.parse(process.argv[2] ?? "")

/** Payouts of a service that answers at once: a creation, and a read of a completed payout. */
const payouts = Layer.provide(
  Payouts.layer,
  subject.gateway(stub.lean, (path) =>
    path.endsWith("/payouts")
      ? { status: 201, body: payoutAnswer("PENDING") }
      : { status: 200, body: payoutAnswer("COMPLETED") }
  )
)

/** An execution that creates a payout, and then sleeps for longer than the measurement. */
class Sleeper extends Context.Tag("Bench/Sleeper")<
  Sleeper,
  Operator.Service<Payout.PayoutRequest, void, typeof Durable.WriteError.Type>
>() {}

const sleeper = Durable.layer(Sleeper, {
  name: "Bench/Sleeper/1",
  payload: Payout.PayoutRequest,
  success: Schema.Void,
  error: Durable.WriteError,
  body: (request) =>
    Effect.gen(function* () {
      const service = yield* Payouts.Payouts
      yield* Durable.write({
        operation: "Bench.sleep",
        success: Payout.CreatedPayout,
        idOf: ({ reference }) => reference,
        send: (key) => service.create(request, { key })
      })
      yield* Durable.sleep("night", "1 day")
    })
})

const engine = (): Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine,
  Sqlite.DatabaseUnavailable | Postgres.RunnerUnavailable | Engine.UnsupportedSchema
> => {
  switch (task.engine) {
    case "memory":
      return Memory.layerMemory
    case "sqlite":
      return Sqlite.layerSqlite({ file: task.file })
    default:
      return Postgres.layerPostgres({
        url: Redacted.make(task.url),
        host: "127.0.0.1",
        port: task.port
      })
  }
}

const live = Layer.merge(sleeper, DisbursePayout.layer()).pipe(
  Layer.provide(payouts),
  Layer.provideMerge(engine())
)

/** How many executions start, or run, at once. */
const startsAtOnce = 100
const runsAtOnce = 64

/** Returns when the message is on its way. */
const send = (message: object) =>
  Effect.async<void>((resume) => {
    process.send?.(message, () => resume(Effect.void))
  })

const ofHelpers = store.cpuMeter(/./)

const cpuMillis = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000 + (ofHelpers(task.helpers) ?? NaN)
}

const latencyOf = (millis: ReadonlyArray<number>): Latency => {
  const sorted = [...millis].sort((one, other) => one - other)
  return { p50Millis: quantile(sorted, 0.5), p99Millis: quantile(sorted, 0.99) }
}

/**
 * Runs executions to their ends. The store has the times of each. It is asked for the ends of all that run,
 * because `await` looks once a second.
 */
const runAll = (
  prefix: string,
  count: number,
  concurrency: number,
  until: (done: number) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const { findAll } = yield* Engine.Engine
    const disburse = yield* DisbursePayout.DisbursePayout
    const running = new Map<string, Deferred.Deferred<number>>()
    let done = 0
    const ends = Effect.gen(function* () {
      const found = yield* findAll(disburse.workflow, [...running.keys()])
      for (const { businessKey, end, startedMillis } of found) {
        const ended = running.get(businessKey)
        if (end === undefined || ended === undefined) continue
        running.delete(businessKey)
        yield* until(++done)
        yield* Deferred.succeed(ended, end.atMillis - startedMillis)
      }
      yield* Effect.sleep("5 millis")
    }).pipe(Effect.forever)
    const one = (number: number) =>
      Effect.gen(function* () {
        const key = `${prefix}-${number}`
        const ended = yield* Deferred.make<number>()
        yield* disburse.start(key, payout)
        running.set(key, ended)
        return yield* Deferred.await(ended)
      })
    const numbers = Array.from({ length: count }, (_, number) => number)
    return yield* Effect.raceFirst(Effect.forEach(numbers, one, { concurrency }), ends)
  })

const helper = Effect.gen(function* () {
  yield* send({})
  return yield* Effect.never
})

const driver = Effect.gen(function* () {
  const { open } = yield* Engine.Engine
  const sleepers = yield* Sleeper
  const counts = yield* store.readerOf(task)
  let measured: Measured = { engine: task.engine, sleeping: task.sleeping, limitMinutes: 0 }
  const under = (unfinished: string) => send({ ...measured, unfinished })

  // Code that has run once is compiled, and connections are open.
  yield* runAll("warm", 50, 10, () => Effect.void)
  const before = { ...(yield* counts), heap: heapBytes(), resident: process.memoryUsage.rss() }

  const startedMillis = yield* Clock.currentTimeMillis
  const startedCpu = cpuMillis()
  const asleep = Effect.map(open("Bench/Sleeper/1"), ({ waiting }) => waiting)
  const watching = asleep.pipe(
    Effect.tap((count) => under(`${count.toLocaleString("en")} of them slept`)),
    Effect.delay("1 second"),
    Effect.forever
  )
  yield* Effect.raceFirst(
    Effect.gen(function* () {
      const numbers = Array.from({ length: task.sleeping }, (_, number) => number)
      yield* Effect.forEach(numbers, (number) => sleepers.start(`sleeper-${number}`, payout), {
        concurrency: startsAtOnce,
        discard: true
      })
      yield* asleep.pipe(
        Effect.delay("50 millis"),
        Effect.repeat({ until: (count) => count >= task.sleeping })
      )
    }),
    watching
  )
  const filledMillis = (yield* Clock.currentTimeMillis) - startedMillis
  const fill = {
    perSecond: task.sleeping / (filledMillis / 1000),
    cpuMillis: (cpuMillis() - startedCpu) / task.sleeping
  }
  measured = { ...measured, fill }
  yield* under("all slept")

  // The last of them store their pauses, and the engine lets go of what is idle.
  yield* Effect.sleep(task.settleSeconds * 1000)
  const resting = yield* counts
  const each = (bytes: number) => bytes / task.sleeping
  const heapEach = each(heapBytes() - before.heap)
  const residentEach = each(process.memoryUsage.rss() - before.resident)
  const restedCpu = process.cpuUsage()
  const restedMillis = yield* Clock.currentTimeMillis
  yield* Effect.sleep(task.restSeconds * 1000)
  const rested = yield* counts
  const spentMillis = (yield* Clock.currentTimeMillis) - restedMillis
  const { system, user } = process.cpuUsage(restedCpu)
  measured = {
    ...measured,
    rest: {
      heapBytes: heapEach,
      residentBytes: residentEach,
      ...(resting.bytes === undefined || before.bytes === undefined
        ? {}
        : { storeBytes: each(resting.bytes - before.bytes) }),
      cpuShare: (system + user) / 1000 / spentMillis,
      ...(rested.cpuMillis === undefined || resting.cpuMillis === undefined
        ? {}
        : { databaseShare: (rested.cpuMillis - resting.cpuMillis) / spentMillis })
    }
  }

  yield* under("single executions")
  const single = yield* runAll("quiet", task.quiet, 1, () => Effect.void)
  measured = { ...measured, quiet: latencyOf(single) }

  yield* under("executions side by side")
  const idle = yield* counts
  const busyMillis = yield* Clock.currentTimeMillis
  const busyCpu = cpuMillis()
  const latencies = yield* runAll("busy", task.busy, runsAtOnce, (done) =>
    done % 100 === 0 ? under(`${done} of ${task.busy} executions side by side ended`) : Effect.void
  )
  const tookMillis = (yield* Clock.currentTimeMillis) - busyMillis
  const usedCpu = cpuMillis() - busyCpu
  const after = yield* counts
  const delta = (name: keyof store.Counts): number =>
    ((after[name] ?? NaN) - (idle[name] ?? NaN)) / task.busy
  const databaseCpu = delta("cpuMillis")
  const busy: Busy = {
    ...latencyOf(latencies),
    count: task.busy,
    perSecond: task.busy / (tookMillis / 1000),
    cpuMillis: usedCpu / task.busy,
    ...(after.bytes === undefined ? {} : { storeBytes: delta("bytes") }),
    ...(after.transactions === undefined
      ? {}
      : {
          database: {
            transactions: delta("transactions"),
            rows: delta("rows"),
            walBytes: delta("walBytes"),
            ...(Number.isNaN(databaseCpu) ? {} : { cpuMillis: databaseCpu })
          }
        })
  }
  yield* send({ ...measured, busy })
})

process.on("disconnect", () => process.exit(1))
const program = (task.isHelper ? helper : driver).pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(live, Reactivity.layer))
)
await Effect.runPromise(program)
process.exit(0)
