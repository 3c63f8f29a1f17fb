/** Several lives and owners of a batch, which share a table. */
import { assert, describe } from "@effect/vitest"
import * as Payouts from "@manilla/payouts/Payouts"
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
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { forOperator } from "../../workflow-engine/src/internal/engineStore.js"
import type * as engineStore from "../../workflow-engine/src/internal/engineStore.js"
import * as memoryTable from "../../workflow-engine/src/internal/memoryBatches.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import * as operate from "../src/internal/batch/operate.js"
import { operations, run } from "../src/internal/operate/operations.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"
import {
  begin,
  life,
  madeOnce,
  onSandbox,
  operation,
  pays,
  policy,
  start
} from "./utils/batches.js"
import * as world from "./utils/world.js"

const test = VirtualClock.tests(Layer.empty)

/** Lives until its `n`th write, and dies right before or after that is stored. Returns whether it came so far. */
const dyingAt = (table: Batches.Service, n: number, isStored: boolean, count: number) =>
  Effect.gen(function* () {
    const died = yield* Deferred.make<boolean>()
    let writes = 0
    const write: Batches.Service["write"] = (...args) => {
      if (writes++ < n) return table.write(...args)
      return (isStored ? table.write(...args) : Effect.void).pipe(
        Effect.zipRight(Deferred.succeed(died, true)),
        Effect.zipRight(Effect.never)
      )
    }
    const scope = yield* Scope.make()
    yield* Effect.gen(function* () {
      const context = yield* life({ ...table, write })
      const batches = yield* Effect.provide(start(count), context)
      const ended = Effect.as(batches.await("payroll"), false)
      yield* Effect.fork(Effect.flatMap(ended, (value) => Deferred.succeed(died, value)))
    }).pipe(Scope.extend(scope))
    for (let ticks = 0; !(yield* Deferred.isDone(died)); ticks++) {
      if (ticks > 500) assert.fail("it neither ends nor dies")
      yield* VirtualClock.pass("5 seconds")
    }
    const hasDied = yield* Deferred.await(died)
    yield* Scope.close(scope, Exit.void)
    return hasDied
  })

/** A table with pages of two items. */
const paged = (table: Batches.Service): Batches.Service => ({
  ...table,
  read: (batchKey, filter, limit) =>
    table.read(batchKey, filter, filter.states === undefined ? limit : 2)
})

/** The table of a process that died while a request may have been on its way. */
const left = (state: Batches.State, count: number, reference?: string) =>
  Effect.gen(function* () {
    const table = yield* memoryTable.make
    // Nobody owns the batch while it is stored.
    const change: Batches.Service["change"] = (key, to, where) =>
      where.epoch === 1 && to.epoch === 2 ? Effect.never : table.change(key, to, where)
    yield* Effect.scoped(begin(count, { ...table, change }))
    const numbers = Array.from({ length: count }, (_, number) => number)
    const changes = numbers.map((number) => ({
      number,
      state,
      sent: 0,
      ...(reference === undefined ? {} : { reference })
    }))
    assert.isTrue(yield* table.write("payroll", 1, changes))
    return paged(table)
  })

describe("a batch whose process dies", () => {
  /** Kills the first life at each of its writes in turn, and counts what the second one makes of it. */
  const dyingAnywhere = (isStored: boolean) =>
    Effect.gen(function* () {
      const count = 4
      for (let n = 0, hasDied = true; hasDied; n++) {
        hasDied = yield* Effect.gen(function* () {
          const { faults } = yield* Sandbox.Sandbox
          const table = yield* memoryTable.make
          yield* faults.add(Fault.delay("2 seconds", { operation, count: 3 }))
          yield* faults.add(Fault.dropAfter({ operation, count: 20 }))
          const hasDied = yield* dyingAt(table, n, isStored, count)
          const batches = yield* begin(count, table)
          yield* pays(batches, count)
          return hasDied
        }).pipe(Effect.scoped, Effect.provide(world.services()))
        if (n > 100) assert.fail("it writes for ever")
      }
    })

  VirtualClock.test("before any of its writes pays each item once", () => dyingAnywhere(false))
  VirtualClock.test("after any of its writes pays each item once", () => dyingAnywhere(true))

  onSandbox("hands over requests in doubt, and takes no refusal for their outcome", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.status(422, { operation, count: "always" }))
    const table = yield* left("sending", 4)
    const batches = yield* begin(4, table, 2)
    yield* VirtualClock.pass("1 minute")
    const { creating, ended } = yield* batches.status("payroll")
    assert.deepStrictEqual({ creating, ended }, { creating: 4, ended: 0 })
    yield* VirtualClock.pass("1 hour")
    assert.deepInclude(yield* batches.status("payroll"), { notStarted: 0, ended: 4 })
    assert.deepInclude(yield* batches.await("payroll"), { failed: 0, inDoubt: 4 })
  })

  onSandbox("sends nothing of it again after days", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.delay("20 seconds", { operation, count: "always" }))
    const table = yield* memoryTable.make
    yield* begin(2, table).pipe(Effect.zipRight(VirtualClock.pass("5 seconds")), Effect.scoped)
    const sent = yield* world.keysOf(operation)
    assert.isNotEmpty(sent)
    yield* VirtualClock.pass("3 days")
    const batches = yield* begin(2, table)
    yield* VirtualClock.pass("1 hour")
    assert.deepInclude(yield* batches.await("payroll"), { failed: 0, inDoubt: 2 })
    assert.deepStrictEqual(yield* world.keysOf(operation), sent)
  })

  onSandbox("has one owner for each epoch, if two find it at once", function* () {
    const table = yield* left("waiting", 12)
    // Both read the same epoch before either changes it.
    const change: Batches.Service["change"] = (...args) =>
      Effect.delay(table.change(...args), "1 second")
    const owners = new Map<number, Set<number>>()
    for (const owner of [1, 2]) {
      const write: Batches.Service["write"] = (batchKey, epoch, changes) => {
        owners.set(epoch, (owners.get(epoch) ?? new Set()).add(owner))
        return table.write(batchKey, epoch, changes)
      }
      yield* begin(12, { ...table, change, write })
    }
    yield* VirtualClock.pass("1 hour")
    assert.strictEqual(owners.size, 2)
    for (const [epoch, { size }] of owners) assert.strictEqual(size, 1, `${epoch}`)
    yield* madeOnce(12)
  })

  onSandbox("stays paused, and goes on after a resume", function* () {
    const { payouts: made } = yield* Sandbox.Sandbox
    const table = yield* memoryTable.make
    yield* begin(3, table, 1).pipe(
      Effect.flatMap((batches) => batches.pause("payroll")),
      Effect.scoped
    )
    const batches = yield* begin(3, table, 1)
    yield* VirtualClock.pass("1 hour")
    assert.strictEqual((yield* batches.status("payroll")).phase, "paused")
    assert.isAtMost((yield* made).length, 1)
    yield* batches.resume("payroll")
    yield* pays(batches, 3)
  })

  onSandbox("only reads a payout that it had created", function* () {
    const payouts = yield* Payouts.Payouts
    const made = yield* payouts.create(yield* world.payout, { key: world.key("before") })
    const table = yield* left("pending", 1, made.reference)
    const batches = yield* begin(1, table)
    yield* pays(batches, 1)
  })

  onSandbox("does not wait for an execution that was purged", function* () {
    const table = yield* left("unknown", 1)
    const context = yield* life(table)
    const disburse = yield* Effect.provide(Operator.of(DisbursePayout.workflow), context)
    const key = world.key("PayoutBatch:payroll:E1")
    yield* disburse.start({ key, ...(yield* world.payout) })
    yield* VirtualClock.pass("1 hour")
    yield* disburse.purge(key)
    const batches = yield* Effect.provide(start(1), context)
    yield* VirtualClock.pass("1 hour")
    assert.deepInclude(yield* batches.await("payroll"), { purged: 1 })
    yield* madeOnce(1)
  })
})

onSandbox("a batch that is refused leaves nothing behind", function* () {
  const table = yield* memoryTable.make
  const batches = Context.get(yield* life(table), PayoutBatch.PayoutBatch)
  const request = yield* world.payout
  const items = Stream.make(
    { key: "E1", request },
    { key: "E2", request: { ...request, amount: "-1" } }
  )
  assert.strictEqual((yield* Effect.flip(batches.start("payroll", items)))._tag, "InvalidItems")
  assert.lengthOf(yield* table.read("payroll", {}, 10), 0)
})

test("the results of a batch are all of them", function* () {
  const table = yield* memoryTable.make
  yield* table.insert("payroll", 0)
  const item = (number: number) => ({ number, key: `E${number}`, request: "{}" })
  const added = Array.from({ length: 1_001 }, (_, number) => item(number))
  yield* table.add("payroll", 0, added)
  yield* table.change("payroll", { phase: "running" }, {})
  const all = operate.make(table).results("payroll")
  const keys = Array.from(yield* Stream.runCollect(all), ({ key }) => key)
  assert.deepStrictEqual(
    keys,
    added.map(({ key }) => key)
  )
  // The answer to the first read is late. If the phase changes meanwhile, it must not count.
  const during = (from: Batches.Phase, to: Batches.Phase) =>
    Effect.gen(function* () {
      yield* table.change("payroll", { phase: from }, {})
      const read: Batches.Service["read"] = (...args) =>
        Effect.zipLeft(table.read(...args), table.change("payroll", { phase: to }, {}))
      const results = operate.make({ ...table, read }).results("payroll")
      return (yield* Effect.flip(Stream.runDrain(results)))._tag
    })
  assert.strictEqual(yield* during("running", "purged"), "ExecutionPurged")
  assert.strictEqual(yield* during("storing", "running"), "ExecutionNotFound")
})

/** Fails with the first change of a batch to a phase, which is stored or not. */
const losing = (
  table: Batches.Service,
  phase: Batches.Phase,
  isStored: boolean
): Batches.Service => {
  const lost = new Execution.StorageError({ operation: "change a batch", cause: "lost" })
  let isLost = false
  const change: Batches.Service["change"] = (batchKey, to, where) => {
    if (isLost || to.phase !== phase) return table.change(batchKey, to, where)
    isLost = true
    return Effect.zipRight(isStored ? table.change(batchKey, to, where) : Effect.void, lost)
  }
  return { ...table, change }
}

describe.each([true, false])("a batch of which a change fails (and is stored: %s)", (isStored) => {
  onSandbox("keeps its items if that was the last change of its start", function* () {
    const context = yield* life(losing(yield* memoryTable.make, "running", isStored))
    const error = yield* Effect.flip(Effect.provide(start(3), context))
    assert.strictEqual(error._tag, "StorageError")
    const batches = yield* Effect.provide(start(3), context)
    yield* pays(batches, 3)
  })

  onSandbox("never looks like one with other items if that was its purge", function* () {
    const table = yield* memoryTable.make
    const context = yield* life(losing(table, "purged", isStored))
    const batches = yield* Effect.provide(start(3), context)
    yield* VirtualClock.pass("1 hour")
    yield* Effect.flip(batches.purge("payroll"))
    const again = yield* Effect.either(Effect.provide(start(3), context))
    assert.notStrictEqual(Either.isLeft(again) ? again.left._tag : "", "ItemsDiffer")
    yield* batches.purge("payroll")
    assert.lengthOf(yield* table.read("payroll", {}, 10), 0)
    const error = yield* Effect.flip(Effect.provide(start(3), context))
    assert.strictEqual(error._tag, "ExecutionPurged")
    yield* madeOnce(3)
  })

  onSandbox("is not there, or goes on, if the process dies at a change of its start", function* () {
    for (let n = 0, hasDied = true; hasDied; n++) {
      const store = yield* memoryStore.make
      let changes = 0
      hasDied = false
      const change: Batches.Service["change"] = (...args) => {
        if (changes++ < n) return store.batches.change(...args)
        hasDied = true
        return Effect.zipRight(isStored ? store.batches.change(...args) : Effect.void, Effect.never)
      }
      const processOn = (store: engineStore.EngineStore) =>
        Layer.build(
          PayoutBatch.layer().pipe(
            Layer.provideMerge(Layer.provide(DisbursePayout.layer, Policy.layer(policy))),
            Layer.provideMerge(engines.on(store))
          )
        )
      yield* Effect.gen(function* () {
        const context = yield* processOn({ ...store, batches: { ...store.batches, change } })
        yield* Effect.forkScoped(Effect.provide(start(2), context))
        yield* VirtualClock.pass("1 minute")
      }).pipe(Effect.scoped)

      const context = yield* processOn(store)
      yield* VirtualClock.pass("5 minutes")
      const { status } = Context.get(context, PayoutBatch.PayoutBatch)
      const found = yield* Effect.either(status("payroll"))
      if (Either.isRight(found)) assert.strictEqual(found.right.phase, "ended", `${n}`)
      else assert.strictEqual(found.left._tag, "ExecutionNotFound", `${n}`)
      // Nothing says that a batch sends items which has not begun.
      const list = yield* Effect.fromNullable(operations["list"])
      const { rows } = yield* run(forOperator(store), list, {})
      const seen = Array.from(yield* Stream.runCollect(rows), ({ now }) => now)
      assert.notInclude(seen, "sends its items")
      assert.includeMembers(["waits for its items"], seen.map(String))
    }
  })
})

/** Payouts that count their creations. */
const countedPayouts = Effect.map(Payouts.Payouts, (payouts) => {
  let sent = 0
  const create: typeof payouts.create = (...args) => {
    sent++
    return payouts.create(...args)
  }
  return { payouts: { ...payouts, create }, sent: () => sent }
})

/** The executions of items that were handed over. */
const handedOver = (context: Context.Context<Engine.Engine>) => {
  const { list } = Context.get(context, Engine.Engine)
  return list({ workflow: DisbursePayout.workflow.name }, undefined, 10)
}

describe("defects", () => {
  onSandbox("of requests and of the follower hold up no item", function* () {
    const payouts = yield* Payouts.Payouts
    let calls = 0
    const create: typeof payouts.create = (...args) => {
      if (calls++ < 2) throw new Error("a bug")
      return payouts.create(...args)
    }
    const table = yield* memoryTable.make
    let reads = 0
    const read: Batches.Service["read"] = (key, filter, limit) =>
      filter.numbers !== undefined && reads++ === 0
        ? Effect.dieMessage("a bug")
        : table.read(key, filter, limit)
    const context = yield* Effect.provideService(life({ ...table, read }, 2), Payouts.Payouts, {
      ...payouts,
      create
    })
    const batches = yield* Effect.provide(start(5), context)
    yield* VirtualClock.pass("1 hour")
    assert.strictEqual((yield* batches.status("payroll")).ended, 5)
    assert.deepInclude(yield* batches.await("payroll"), { completed: 5 })
    yield* madeOnce(5)
    // It is not known whether these two were sent.
    assert.lengthOf(yield* handedOver(context), 2)
  })

  onSandbox("of its owner do not end the batch", function* () {
    const table = yield* memoryTable.make
    let bugs = 3
    const find: Batches.Service["find"] = (key) =>
      Effect.tap(table.find(key), (batch) =>
        Option.exists(batch, ({ phase }) => phase === "running") && bugs-- > 0
          ? Effect.dieMessage("a bug")
          : Effect.void
      )
    const batches = yield* begin(5, { ...table, find })
    yield* pays(batches, 5)
  })

  onSandbox("of an item that cannot be read hold up no other item", function* () {
    let garbled: string | undefined
    const changed = (store: engineStore.EngineStore): engineStore.EngineStore => ({
      ...store,
      find: (name) => {
        garbled ??= name.businessKey
        // The database answers for the others later.
        if (garbled !== name.businessKey) return Effect.delay(store.find(name), "1 second")
        return Effect.map(
          store.find(name),
          Option.map((it) => ({ ...it, end: { state: "Succeeded", atMillis: 0 }, exit: "{}" }))
        )
      }
    })
    const batches = yield* begin(5, yield* left("unknown", 5), 5, changed)
    yield* VirtualClock.pass("1 hour")
    assert.deepInclude(yield* batches.status("payroll"), { creating: 1, ended: 4 })
    yield* madeOnce(5)
  })
})

onSandbox("an execution of a batch that was started before its items waits for them", function* () {
  const context = yield* life(yield* memoryTable.make)
  const executed = PayoutBatch.workflow.execute({ key: "payroll" }, { discard: true })
  yield* Effect.provide(executed, context)
  yield* VirtualClock.pass("1 minute")
  yield* pays(yield* Effect.provide(start(3), context), 3)
})

describe("two owners at once", () => {
  onSandbox("the old one sends nothing whose sending it could not store", function* () {
    const table = yield* memoryTable.make
    // The next owner begins right before each write.
    const write: Batches.Service["write"] = (batchKey, epoch, changes) =>
      Effect.zipRight(
        table.change(batchKey, { epoch: epoch + 1 }, { epoch }),
        table.write(batchKey, epoch, changes)
      )
    const { payouts, sent } = yield* countedPayouts
    const begun = begin(12, { ...table, write })
    yield* Effect.provideService(begun, Payouts.Payouts, payouts)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual(sent(), 0)
    const batches = yield* begin(12, table)
    yield* pays(batches, 12)
  })

  onSandbox("the old one writes nothing and sends nothing more", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.delay("20 seconds", { operation, count: "always" }))
    const table = yield* memoryTable.make
    const stored: Array<readonly [epoch: number, isStored: boolean]> = []
    const write: Batches.Service["write"] = (batchKey, epoch, changes) =>
      Effect.tap(table.write(batchKey, epoch, changes), (isStored) =>
        Effect.sync(() => stored.push([epoch, isStored]))
      )
    const counted = yield* countedPayouts
    const begun = begin(12, { ...table, write })
    yield* Effect.provideService(begun, Payouts.Payouts, counted.payouts)
    yield* VirtualClock.pass("30 seconds")
    const before = stored.length
    const sentBefore = counted.sent()
    const batches = yield* begin(12, table)
    yield* VirtualClock.pass("1 hour")
    assert.isTrue(stored.slice(0, before).every(([, isStored]) => isStored))
    assert.isTrue(stored.slice(before).every(([, isStored]) => !isStored))
    assert.isAtMost(stored.length - before, 1)
    assert.strictEqual(counted.sent(), sentBefore)
    assert.deepInclude(yield* batches.await("payroll"), { completed: 12 })
    yield* madeOnce(12)
  })
})

onSandbox("a rate limit slows the batch, returns its items, and hands none over", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.status(429, { operation, count: "always" }))
  const context = yield* life(yield* memoryTable.make, 10)
  const batches = yield* Effect.provide(start(40), context)
  yield* VirtualClock.pass("10 minutes")
  const { creating, ended } = yield* batches.status("payroll")
  assert.strictEqual(ended, 0)
  // A probe may be on its way.
  assert.isAtMost(creating, 1)
  const early = (yield* world.keysOf(operation)).length
  yield* VirtualClock.pass("10 minutes")
  // A probe a minute, of five attempts.
  assert.isAtMost((yield* world.keysOf(operation)).length - early, 100)
  yield* faults.clear
  yield* VirtualClock.pass("10 minutes")
  assert.deepInclude(yield* batches.await("payroll"), { completed: 40 })
  yield* madeOnce(40)
  assert.lengthOf(yield* handedOver(context), 0)
})
