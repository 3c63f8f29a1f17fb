// Measures one cell in a process of its own, and sends the result.
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as Engine from "@manilla/workflows/Engine"
import * as Memory from "@manilla/workflows/memory"
import * as Operator from "@manilla/workflows/Operator"
import * as Postgres from "@manilla/workflows/postgres"
import * as Sqlite from "@manilla/workflows/sqlite"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { quantile } from "../format.js"
import { payout, payoutAnswer } from "../messages.js"
import { gateway, heapBytes } from "../stub.js"
import type { Latency, Measured, Task } from "./Measured.js"
import * as store from "./store.js"

const task: Task = JSON.parse(process.argv[2] ?? "")

/** Payouts of a service that answers at once: a creation, and a read of a completed payout. */
const payouts = Layer.provide(
  Payouts.layer,
  gateway((path) =>
    path.endsWith("/payouts")
      ? { status: 201, body: payoutAnswer("PENDING") }
      : { status: 200, body: payoutAnswer("COMPLETED") }
  )
)

/** An execution that creates a payout, and then sleeps for longer than the measurement. */
const Sleeper = Workflow.make({
  name: "Bench/Sleeper/1",
  payload: { key: IdempotencyKey.IdempotencyKey, ...Payout.PayoutRequest.fields },
  error: Durable.WriteError,
  idempotencyKey: ({ key }) => key
})

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
    yield* Effect.orDie(Durable.sleep("night", "1 day"))
  })
)

const engine = (): Layer.Layer<
  Engine.Engine | WorkflowEngine.WorkflowEngine,
  Sqlite.DatabaseUnavailable | Postgres.RunnerUnavailable | Engine.UnsupportedSchema
> => {
  switch (task.engine) {
    case "memory":
      return Memory.layerMemory
    case "sqlite":
      return Sqlite.layerSqlite({ file: task.file })
    case "postgres":
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

const latencyOf = (millis: ReadonlyArray<number>): Latency => {
  const sorted = [...millis].sort((one, other) => one - other)
  return { p50Millis: quantile(sorted, 0.5), p99Millis: quantile(sorted, 0.99) }
}

const known = (value: number) => (Number.isNaN(value) ? undefined : value)

/** The time and the CPU time of this process that an effect takes. */
const spentOn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const startedCpu = process.cpuUsage()
    const [duration, value] = yield* Effect.timed(effect)
    const { system, user } = process.cpuUsage(startedCpu)
    return { value, millis: Duration.toMillis(duration), cpuMillis: (system + user) / 1000 }
  })

/**
 * Runs executions to their ends. The store has the times of each. It is asked for the ends of all that run,
 * because `await` looks once a second.
 */
const runAll = (prefix: string, count: number, concurrency: number) =>
  Effect.gen(function* () {
    const { findAll } = yield* Engine.Engine
    const disburse = yield* Operator.of(DisbursePayout.workflow)
    const running = new Map<string, Deferred.Deferred<number>>()
    const ends = Effect.gen(function* () {
      const found = yield* findAll(DisbursePayout.workflow.name, [...running.keys()])
      for (const { businessKey, end, startedMillis } of found) {
        const ended = running.get(businessKey)
        if (end === undefined || ended === undefined) continue
        running.delete(businessKey)
        yield* Deferred.succeed(ended, end.atMillis - startedMillis)
      }
      yield* Effect.sleep("5 millis")
    }).pipe(Effect.forever)
    const one = (number: number) =>
      Effect.gen(function* () {
        const key = `${prefix}-${number}`
        const ended = yield* Deferred.make<number>()
        yield* disburse.start({ key: IdempotencyKey.make(key), ...payout })
        running.set(key, ended)
        return yield* Deferred.await(ended)
      })
    const numbers = Array.from({ length: count }, (_, number) => number)
    return yield* Effect.raceFirst(Effect.forEach(numbers, one, { concurrency }), ends)
  })

/** Starts the sleepers, and waits until all of them sleep. */
const putToSleep = Effect.gen(function* () {
  const { open } = yield* Engine.Engine
  const sleepers = yield* Operator.of(Sleeper)
  const numbers = Array.from({ length: task.sleeping }, (_, number) => number)
  yield* Effect.forEach(
    numbers,
    (number) => sleepers.start({ key: IdempotencyKey.make(`sleeper-${number}`), ...payout }),
    {
      concurrency: startsAtOnce,
      discard: true
    }
  )
  yield* open("Bench/Sleeper/1").pipe(
    Effect.delay("50 millis"),
    Effect.repeat({ until: ({ waiting }) => waiting >= task.sleeping })
  )
})

const driver = Effect.gen(function* () {
  const counts = yield* store.readerOf(task)
  // Code that has run once is compiled, and connections are open.
  yield* runAll("warm", 50, 10)
  const before = { ...(yield* counts), heap: heapBytes() }

  const filled = yield* spentOn(putToSleep)
  const fill = {
    perSecond: (task.sleeping / filled.millis) * 1000,
    cpuMillis: filled.cpuMillis / task.sleeping
  }

  // The last of them store their pauses, and the engine lets go of what is idle.
  yield* Effect.sleep(task.settleSeconds * 1000)
  const resting = yield* counts
  const heapEach = (heapBytes() - before.heap) / task.sleeping
  const rested = yield* spentOn(Effect.zipRight(Effect.sleep(task.restSeconds * 1000), counts))
  const rest = {
    heapBytes: heapEach,
    storeBytes: known(store.between(before, resting).bytes / task.sleeping),
    cpuShare: rested.cpuMillis / rested.millis,
    databaseShare: known(store.between(resting, rested.value).cpuMillis / rested.millis)
  }

  const quiet = latencyOf(yield* runAll("quiet", task.quiet, 1))

  const idle = yield* counts
  const ran = yield* spentOn(runAll("busy", task.busy, runsAtOnce))
  const used = store.between(idle, yield* counts)
  const busy = {
    ...latencyOf(ran.value),
    count: task.busy,
    perSecond: (task.busy / ran.millis) * 1000,
    cpuMillis: ran.cpuMillis / task.busy,
    storeBytes: known(used.bytes / task.busy),
    ...(task.engine === "postgres"
      ? {
          database: {
            transactions: used.transactions / task.busy,
            rows: used.rows / task.busy,
            walBytes: used.walBytes / task.busy,
            cpuMillis: known(used.cpuMillis / task.busy)
          }
        }
      : {})
  }
  const { engine, sleeping } = task
  return { engine, sleeping, fill, rest, quiet, busy } satisfies Measured
})

process.on("disconnect", () => process.exit(1))
const program = driver.pipe(Effect.scoped, Effect.provide(Layer.merge(live, Reactivity.layer)))
const measured = await Effect.runPromise(program)
process.send?.(measured, () => process.exit(0))
