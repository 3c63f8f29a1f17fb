/** A batch beside a plain engine, which is a map of executions and of the results of their steps. */
import { assert } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as memory from "@manilla/workflow-engine/memory"
import * as BatchEngine from "@manilla/workflows/BatchEngine"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Steps from "@manilla/workflows/Steps"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { onSandbox, operation, policy, start } from "./utils/batches.js"
import * as world from "./utils/world.js"

const test = VirtualClock.tests(Layer.empty)

type Payout = Omit<BatchEngine.PayoutExecution, "doubt">

/** Outlives its processes. */
const makeStorage = Effect.map(memory.batches, (table) => ({
  table,
  batches: new Set<string>(),
  payouts: new Map<string, Payout>(),
  results: new Map<string, string>()
}))
type Storage = Effect.Effect.Success<typeof makeStorage>

/** A process on a storage. It passes a boundary before and after each change of the storage, where it may die. */
const life = (
  { batches, payouts, results, table }: Storage,
  boundary: Effect.Effect<void> = Effect.void
) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const runtime = yield* Effect.runtime()
    const passed = <A, E, R>(change: Effect.Effect<A, E, R>) =>
      Effect.zipRight(boundary, Effect.zipLeft(change, boundary))
    const changed = (change: () => unknown) => passed(Effect.sync(change))
    const stepsOf = (id: string): Steps.Steps => ({
      id,
      run: (name, step) =>
        Effect.gen(function* () {
          const place = `${id} ${name}`
          const known = results.get(place)
          if (known !== undefined) return known
          yield* boundary
          const text = yield* Effect.promise(step)
          yield* changed(() => results.set(place, text))
          return text
        }).pipe(Runtime.runPromise(runtime)),
      sleep: (_, millis) => Runtime.runPromise(runtime)(Effect.sleep(millis))
    })
    const beneath = yield* Layer.build(Steps.layer)
    const runBatch = (key: string) =>
      Steps.execute(PayoutBatch.workflow, { key }, stepsOf(key)).pipe(
        Effect.provide(beneath),
        Effect.forkIn(scope)
      )
    const runPayout = (payload: NonNullable<Payout["payload"]>) =>
      Steps.execute(DisbursePayout.workflow, payload, stepsOf(payload.key)).pipe(
        Effect.exit,
        Effect.tap((end) => changed(() => payouts.set(payload.key, { payload, end }))),
        Effect.provide(beneath),
        Effect.forkIn(scope)
      )
    const engine = BatchEngine.BatchEngine.of({
      batches: {
        ...table,
        add: (...args) => passed(table.add(...args)),
        change: (...args) => passed(table.change(...args)),
        write: (...args) => passed(table.write(...args))
      },
      startBatch: ({ key }) =>
        Effect.gen(function* () {
          if (batches.has(key)) return
          yield* changed(() => batches.add(key))
          yield* runBatch(key)
        }),
      startPayout: (payload) =>
        Effect.gen(function* () {
          if (payouts.has(payload.key)) return
          yield* changed(() => payouts.set(payload.key, { payload, end: undefined }))
          yield* runPayout(payload)
        }),
      findBatch: () => Effect.succeedNone,
      findPayout: (key) => Effect.sync(() => Option.fromNullable(payouts.get(key)))
    })
    const context = yield* Layer.build(
      PayoutBatch.layerOn({ concurrency: 2 }).pipe(
        Layer.provideMerge(Layer.provide(DisbursePayout.layer, Policy.layer(policy))),
        Layer.provide(Layer.succeed(BatchEngine.BatchEngine, engine)),
        Layer.provide(Layer.succeedContext(beneath))
      )
    )
    yield* Effect.forEach(batches, runBatch)
    for (const { end, payload, stopped } of payouts.values()) {
      if ((end ?? stopped) === undefined && payload !== undefined) yield* runPayout(payload)
    }
    return context
  })

/** Runs a batch of items in a process that dies at a boundary. Returns whether it came so far. */
const dyingAt = (storage: Storage, n: number, count: number) =>
  Effect.gen(function* () {
    const died = yield* Deferred.make<boolean>()
    let boundaries = 0
    const boundary = Effect.suspend(() =>
      ++boundaries < n ? Effect.void : Effect.zipRight(Deferred.succeed(died, true), Effect.never)
    )
    const scope = yield* Scope.make()
    yield* Effect.gen(function* () {
      const context = yield* life(storage, boundary)
      const batches = yield* Effect.provide(start(count), context)
      yield* batches.await("payroll")
      yield* Deferred.succeed(died, false)
    }).pipe(Effect.fork, Scope.extend(scope))
    for (let ticks = 0; !(yield* Deferred.isDone(died)); ticks++) {
      if (ticks > 500) assert.fail("it neither ends nor dies")
      yield* VirtualClock.pass("5 seconds")
    }
    yield* Scope.close(scope, Exit.void)
    return yield* Deferred.await(died)
  })

test("a batch beside another engine pays once, wherever its process dies", function* () {
  const count = 2
  const services = world.services()
  const seen = new Set<string>()
  let hasDied = true
  let n = 0
  while (hasDied) {
    n++
    hasDied = yield* Effect.gen(function* () {
      const { faults } = yield* Sandbox.Sandbox
      yield* faults.add(Fault.dropAfter({ operation, count: 16 }))
      const storage = yield* makeStorage
      const hasDied = yield* dyingAt(storage, n, count)
      // Of a request that may have been sent before the death, a refusal must not count.
      yield* faults.clear
      if (hasDied) yield* faults.add(Fault.status(422, { operation, count: 2 }))
      const batches = yield* Effect.provide(start(count), yield* life(storage))
      yield* VirtualClock.pass("1 hour")
      const { total } = yield* batches.await("payroll")
      assert.strictEqual(total, count)
      const { payouts } = yield* Sandbox.Sandbox
      const made = Array.from(yield* payouts, (payout) => payout.idempotency_key)
      assert.strictEqual(new Set(made).size, made.length, `${n}`)
      const results = yield* Stream.runCollect(batches.results("payroll"))
      for (const { businessKey, state } of results) {
        const isMade = made.some((key) => key === businessKey)
        assert.strictEqual(state, isMade ? "completed" : "failed", `${n}`)
        seen.add(state)
      }
      return hasDied
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(services)))
    if (n > 300) assert.fail("it writes for ever")
  }
  assert.sameMembers([...seen], ["completed", "failed"])
  assert.isAbove(n, 40)
})

onSandbox("a batch says that the engine beneath has stopped its payouts", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.dropAfter({ operation, count: "always" }))
  const storage = yield* makeStorage
  const inLife = <A, E, R>(use: Effect.Effect<A, E, PayoutBatch.PayoutBatch | R>) =>
    Effect.scoped(Effect.flatMap(life(storage), (context) => Effect.provide(use, context)))
  const batches = yield* inLife(Effect.zipLeft(start(2), VirtualClock.pass("1 minute")))
  assert.strictEqual(storage.payouts.size, 2)
  const stopped = "It was cancelled: resume it."
  for (const [key, payout] of storage.payouts) storage.payouts.set(key, { ...payout, stopped })
  yield* faults.clear

  yield* inLife(
    Effect.gen(function* () {
      yield* VirtualClock.pass("1 minute")
      const error = yield* Effect.flip(batches.await("payroll"))
      assert.strictEqual(error._tag, "BatchStopped")
      assert.include(error.message, `E1: ${stopped}`)
      const doubts = yield* batches.doubts("payroll")
      const reasons = doubts.map((doubt) => doubt.stopped)
      assert.deepStrictEqual(reasons, [stopped, stopped])
      const results = yield* Stream.runCollect(batches.results("payroll"))
      const states = Array.from(results, ({ state }) => state)
      assert.deepStrictEqual(states, ["unknown", "unknown"])
    })
  )

  for (const [key, { end, payload }] of storage.payouts) {
    storage.payouts.set(key, { end, payload })
  }
  yield* inLife(
    Effect.gen(function* () {
      yield* VirtualClock.pass("1 hour")
      const { completed } = yield* batches.await("payroll")
      assert.strictEqual(completed, 2)
    })
  )
  const { payouts } = yield* Sandbox.Sandbox
  assert.lengthOf(yield* payouts, 2)
})

onSandbox("a batch goes on while the engine beneath continues it and an item", function* () {
  const { table } = yield* makeStorage
  const item = (number: number) => ({ number, key: `E${number}`, request: "{}" })
  const all = Array.from({ length: 1_001 }, (_, number) => item(number))
  yield* table.insert("payroll", 0)
  yield* table.add("payroll", 0, all)
  const doubts = all.map(({ number }) => ({ number, state: "unknown" as const, sent: 1 }))
  yield* table.write("payroll", 0, doubts)
  yield* table.change("payroll", { phase: "running", total: all.length }, {})
  let batch = Option.some<{ readonly stopped?: string }>({})
  const stopped = new Set(all.slice(0, -1).map(({ key }) => key))
  const engine = BatchEngine.BatchEngine.of({
    batches: table,
    startBatch: () => Effect.void,
    findBatch: () => Effect.sync(() => batch),
    startPayout: () => Effect.void,
    findPayout: (key) =>
      Effect.succeedSome({
        payload: undefined,
        end: undefined,
        stopped: stopped.has(key.split(":").at(-1) ?? "") ? "It was cancelled." : undefined
      })
  })
  const { await: ended } = yield* Effect.provide(
    PayoutBatch.PayoutBatch,
    PayoutBatch.layerOn().pipe(
      Layer.provide(Layer.succeed(BatchEngine.BatchEngine, engine)),
      Layer.provide(Steps.layer)
    )
  )
  const fiber = yield* Effect.fork(Effect.flip(ended("payroll")))
  yield* VirtualClock.pass("2 minutes")
  assert.isTrue(Option.isNone(yield* Fiber.poll(fiber)))
  stopped.add("E1000")
  yield* VirtualClock.pass("1 minute")
  const error = yield* Fiber.join(fiber)
  assert(error._tag === "BatchStopped")
  assert.lengthOf(error.items, 1_001)

  stopped.clear()
  batch = Option.some({ stopped: "The batch was cancelled." })
  const ofBatch = yield* Effect.flip(ended("payroll"))
  assert(ofBatch._tag === "BatchStopped")
  assert.lengthOf(ofBatch.items, 0)
  assert.include(ofBatch.message, "in any other way. The batch was cancelled.")
})
