/** Operators, owners and starts that change a batch at the same moment. */
import { assert } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import type * as Batches from "@manilla/workflow-engine/Batches"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as engineStore from "../../workflow-engine/src/internal/engineStore.js"
import * as operate from "../src/internal/batch/operate.js"
import * as memoryTable from "../../workflow-engine/src/internal/memoryBatches.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"
import { onSandbox, life, operation, policy, start } from "./utils/batches.js"
import * as world from "./utils/world.js"

const storedAs = (table: Batches.Service) => Effect.flatten(table.find("payroll"))

onSandbox("a start that another one overtakes does not call its items invalid", function* () {
  const table = yield* memoryTable.make
  const context = yield* life(table)
  const batches = Context.get(context, PayoutBatch.PayoutBatch)
  const request = yield* world.payout
  const rows = ["E1", "E2"].map((key) => ({ key, request }))
  // The first start is slow to read its rows.
  const slow = Stream.fromIterable(rows).pipe(Stream.tap(() => Effect.sleep("1 second")))
  const first = yield* Effect.fork(Effect.either(batches.start("payroll", slow)))
  yield* VirtualClock.pass("1 second")
  yield* batches.start("payroll", Stream.fromIterable([...rows].reverse()))
  yield* VirtualClock.pass("1 minute")
  const result = yield* Fiber.join(first)
  assert.notStrictEqual(Either.isLeft(result) ? result.left._tag : "", "InvalidItems")
})

onSandbox("a wait for a batch goes on while the database is away", function* () {
  const table = yield* memoryTable.make
  let isAway = false
  const away = new Execution.StorageError({ operation: "read a batch", cause: "" })
  const find: Batches.Service["find"] = (key) =>
    Effect.suspend(() => (isAway ? away : table.find(key)))
  const context = yield* life({ ...table, find })
  yield* Effect.provide(start(2), context)
  const batches = Context.get(context, PayoutBatch.PayoutBatch)
  const waiting = yield* Effect.fork(batches.await("payroll"))
  yield* VirtualClock.pass("1 second")
  isAway = true
  yield* VirtualClock.pass("1 minute")
  isAway = false
  yield* VirtualClock.pass("10 minutes")
  assert.deepInclude(yield* Fiber.join(waiting), { total: 2, completed: 2 })
})

onSandbox("of two starts at once, only one stores its items", function* () {
  const table = yield* memoryTable.make
  // Both read the same epoch before either changes it.
  const change: Batches.Service["change"] = (...args) =>
    Effect.delay(table.change(...args), "1 second")
  const batches = Context.get(yield* life({ ...table, change }), PayoutBatch.PayoutBatch)
  const request = yield* world.payout
  const starts = ["E1", "E2"].map((key) =>
    Effect.option(Effect.as(batches.start("payroll", Stream.make({ key, request })), key))
  )
  const ends = yield* Effect.fork(Effect.all(starts, { concurrency: 2 }))
  yield* VirtualClock.pass("1 minute")
  const started = (yield* Fiber.join(ends)).flatMap(Option.toArray)
  assert.lengthOf(started, 1)
  const stored = yield* table.read("payroll", {}, 10)
  const keys = stored.map(({ key }) => key)
  assert.deepStrictEqual(keys, started)
})

onSandbox("a start during a purge says that the batch was purged", function* () {
  const table = yield* memoryTable.make
  let isPurging = false
  const other: { purge?: Effect.Effect<unknown> } = {}
  const read: Batches.Service["read"] = (key, filter, limit) =>
    Effect.zipRight(
      filter.keys !== undefined && isPurging ? (other.purge ?? Effect.void) : Effect.void,
      table.read(key, filter, limit)
    )
  const context = yield* life({ ...table, read })
  yield* Effect.provide(start(3), context)
  yield* VirtualClock.pass("1 hour")
  other.purge = Effect.orDie(operate.make(table).purge("payroll"))
  isPurging = true
  const error = yield* Effect.flip(Effect.provide(start(3), context))
  assert.strictEqual(error._tag, "ExecutionPurged", error.message)
})

onSandbox("the summary of a batch that is purged at its end adds up", function* () {
  const table = yield* memoryTable.make
  // Right after the end of the batch is stored, and before its ends are counted.
  const change: Batches.Service["change"] = (key, to, where) =>
    Effect.tap(table.change(key, to, where), () =>
      to.phase === "ended" ? Effect.orDie(operate.make(table).purge(key)) : Effect.void
    )
  const context = yield* life({ ...table, change })
  const batches = yield* Effect.provide(start(3), context)
  const execution = yield* Effect.provide(Operator.of(PayoutBatch.workflow), context)
  const awaited = yield* Effect.fork(execution.await("payroll"))
  yield* VirtualClock.pass("1 hour")
  assert.strictEqual((yield* Effect.flip(batches.await("payroll")))._tag, "ExecutionPurged")
  const { total, ...counts } = yield* Fiber.join(awaited)
  const sum = Object.values(counts).reduce((sum, count) => sum + count, 0)
  assert.strictEqual(sum, total, JSON.stringify({ total, ...counts }))
})

/** The present owner ends the batch between the look and the first change of the next one. */
const takenOverAtTheEnd = (atTheEnd: (table: Batches.Service) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.delay("20 seconds", { operation, count: "always" }))
    const table = yield* memoryTable.make
    const first = yield* Effect.provide(start(12), yield* life(table))
    yield* VirtualClock.pass("5 seconds")
    yield* first.interrupt("payroll")
    const gate = yield* Effect.makeLatch()
    const change: Batches.Service["change"] = (...args) =>
      Effect.zipRight(args[1].epoch === undefined ? Effect.void : gate.await, table.change(...args))
    const context = yield* life({ ...table, change })
    yield* Effect.provide(start(12), context)
    yield* VirtualClock.pass("1 hour")
    assert.strictEqual((yield* storedAs(table)).phase, "ended")
    yield* atTheEnd(table)
    yield* gate.open
    yield* VirtualClock.pass("1 hour")
    return { table, context }
  })

onSandbox("an owner that begins at the end of an interrupted batch ends too", function* () {
  const { context } = yield* takenOverAtTheEnd(() => Effect.void)
  const operator = yield* Effect.provide(Operator.of(PayoutBatch.workflow), context)
  assert.strictEqual((yield* operator.status("payroll")).state, "Succeeded")
})

onSandbox("an owner that begins at the end of a batch does not undo its purge", function* () {
  const { table } = yield* takenOverAtTheEnd((table) =>
    Effect.orDie(operate.make(table).purge("payroll"))
  )
  assert.strictEqual((yield* storedAs(table)).phase, "purged")
})

onSandbox("a lost answer to the end of a batch does not undo its purge", function* () {
  const table = yield* memoryTable.make
  let isLost = false
  const change: Batches.Service["change"] = (key, to, where) =>
    Effect.suspend(() => {
      if (isLost || to.phase !== "ended") return table.change(key, to, where)
      isLost = true
      return Effect.zipRight(
        table.change(key, to, where),
        Effect.zipRight(
          // Another process purges the batch, which has ended, before this one tries again.
          Effect.orDie(operate.make(table).purge(key)),
          new Execution.StorageError({ operation: "change a batch", cause: "lost" })
        )
      )
    })
  const context = yield* life({ ...table, change })
  yield* Effect.provide(start(3), context)
  yield* VirtualClock.pass("1 hour")
  assert.isTrue(isLost)
  const again = yield* Effect.flip(Effect.provide(start(3), context))
  assert.strictEqual(again._tag, "ExecutionPurged", again.message)
})

onSandbox("a batch goes on although a runner that was taken for dead begins it late", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.delay("20 seconds", { operation, count: "always" }))
  const store = yield* memoryStore.make
  const processOn = (store: engineStore.EngineStore, beatInterval?: "1 hour") =>
    Layer.build(
      PayoutBatch.layer({ concurrency: 3 }).pipe(
        Layer.provideMerge(Layer.provide(DisbursePayout.layer, Policy.layer(policy))),
        Layer.provideMerge(engines.on(store, beatInterval))
      )
    )
  // The first runner loses its connection after it has looked at the batch, and before it begins it.
  let isAway = true
  const away = new Execution.StorageError({ operation: "change a batch", cause: "away" })
  const cut = <A>(effect: Effect.Effect<A, Execution.StorageError>) =>
    Effect.suspend(() => (isAway ? away : effect))
  let isBegun = false
  const change: Batches.Service["change"] = (key, to, where) =>
    to.epoch !== undefined && where.phases?.includes("storing") !== true
      ? Effect.suspend(() => {
          isBegun = true
          return cut(store.batches.change(key, to, where))
        })
      : store.batches.change(key, to, where)
  const firstStore: engineStore.EngineStore = {
    ...store,
    batches: { ...store.batches, change },
    take: (...args) => (isBegun ? cut(store.take(...args)) : store.take(...args)),
    runners: {
      ...store.runners,
      beat: (runner) =>
        Effect.suspend(() =>
          isBegun ? cut(store.runners.beat(runner)) : store.runners.beat(runner)
        )
    }
  }
  yield* Effect.provide(start(12), yield* processOn(firstStore))
  yield* VirtualClock.pass("6 seconds")
  assert.isTrue(isBegun)
  // The second one takes over, as after 15 seconds of silence.
  const second = yield* processOn(store)
  yield* store.runners.leave(1)
  yield* VirtualClock.pass("10 seconds")
  assert.strictEqual((yield* storedAs(store.batches)).epoch, 2)
  // The first one is connected again, and hears at its next beat that it was taken for dead.
  isAway = false
  yield* VirtualClock.pass("20 minutes")
  const batches = Context.get(second, PayoutBatch.PayoutBatch)
  const { epoch } = yield* storedAs(store.batches)
  const { list } = Context.get(second, Engine.Engine)
  const [execution] = yield* list({ workflow: PayoutBatch.workflow.name }, undefined, 1)
  const owners = `epoch ${epoch}, runner ${execution?.runner} of ${(yield* store.runners.list).join()}`
  assert.deepInclude(
    yield* batches.status("payroll"),
    { phase: "ended", ended: 12 },
    `${owners}: ${JSON.stringify(yield* batches.status("payroll"))}`
  )
})
