/** The engine at its edges: cancellations that take long, lives that are cut, more executions than run at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Files from "@manilla/test-support/Files"
import * as SettableClock from "@manilla/test-support/SettableClock"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import { differences } from "@manilla/workflow-engine/Encoding"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Executions from "@manilla/workflow-engine/Executions"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as engineStore from "../src/internal/engineStore.js"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as transitions from "../src/internal/transitions.js"
import * as engines from "./utils/engines.js"

const test = VirtualClock.tests(Layer.empty)

const Shop = Workflow.make({
  name: "Shop/Test/1",
  payload: { key: IdempotencyKey.IdempotencyKey },
  success: Schema.String,
  error: Durable.WriteError,
  idempotencyKey: ({ key }) => key
})

const key = IdempotencyKey.make("order-42")

type Body = (
  key: IdempotencyKey.IdempotencyKey,
  executionId: string
) => Effect.Effect<
  string,
  typeof Durable.WriteError.Type,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance | Scope.Scope
>

const shop = (body: Body) =>
  Layer.provide(
    Shop.toLayer(({ key }, executionId) => body(key, executionId)),
    Policy.layer({ carryOn: { initial: "1 hour", factor: 2, deadline: "20 hours" } })
  )

const inMemory = (body: Body) => Layer.provideMerge(shop(body), Memory.layerMemory)

const on = (store: engineStore.EngineStore, body: Body) =>
  Layer.build(Layer.provideMerge(shop(body), engines.on(store)))

const started = Effect.gen(function* () {
  const operator = yield* Operator.of(Shop)
  yield* operator.start({ key })
  yield* VirtualClock.pass("5 seconds")
  return operator
})

/** An execution that has begun in memory, with this body. */
const begun = (body: Body) =>
  Effect.flatMap(Layer.build(inMemory(body)), (context) => Effect.provide(started, context))

/** One that has begun in a process on a store. */
const begunOn = (store: engineStore.EngineStore, body: Body) =>
  Effect.flatMap(on(store, body), (context) => Effect.provide(started, context))

type Send = (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<string, Errors.KeyedWriteError>

const write = (operation: string, send: Send) =>
  Durable.write({
    operation,
    key: IdempotencyKey.derive("order-42", operation),
    success: Schema.String,
    idOf: (id) => id,
    send
  })

const paid = write("Shop.pay", () => Effect.succeed("pay-1"))

const lost = new Errors.TransportError({
  operation: "Shop.refund",
  message: "no response",
  sent: true
})

const refusal = new Errors.UnprocessableError({
  operation: "Shop.other",
  status: 422,
  message: "refused"
})

/** Sends a signal from outside. */
const signal = (executionId: string, name: string, value: string) => {
  const deferred = DurableDeferred.make(name, { success: Schema.String })
  const token = DurableDeferred.tokenFromExecutionId(deferred, { workflow: Shop, executionId })
  return DurableDeferred.succeed(deferred, { token, value })
}

const note = (notes: Array<string>, name: string) =>
  Activity.make({ name, execute: Effect.sync(() => void notes.push(name)) })

describe("a cancellation that a pause has decided", () => {
  for (const [name, then] of [
    ["stays when the pause would be over", () => VirtualClock.pass("2 hours")],
    ["stays after a resume", (operator) => Effect.orDie(operator.resume(key))]
  ] satisfies ReadonlyArray<
    readonly [string, (operator: Effect.Effect.Success<typeof started>) => Effect.Effect<void>]
  >) {
    test(name, function* () {
      let refunds = 0
      const unknown = { operation: "Shop.refund", message: "no response", cause: lost }
      const refund = write("Shop.refund", (key) =>
        ++refunds === 1
          ? Effect.fail(new Errors.OutcomeUnknown({ ...unknown, key }))
          : Effect.succeed("refund-1")
      )
      const operator = yield* begun(() =>
        Durable.compensate(paid, () => Effect.orDie(refund)).pipe(
          Effect.zipLeft(Durable.sleep("cooling-off", "30 minutes")),
          Durable.compensating
        )
      )
      yield* operator.interrupt(key)
      yield* VirtualClock.pass("5 seconds")
      yield* then(operator)
      yield* VirtualClock.pass("2 hours")
      const error = yield* Effect.flip(operator.await(key))
      assert.strictEqual(error._tag, "ExecutionCancelled")
      assert.strictEqual(refunds, 2)
    })
  }

  test("does not hide a write after a pause of no time", function* () {
    const operator = yield* begun(() =>
      Durable.sleep("until the delivery", 0).pipe(
        Effect.zipRight(paid),
        Effect.zipLeft(Durable.sleep("a day", "1 day"))
      )
    )
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("5 seconds")
    const error = yield* Effect.flip(operator.await(key))
    assert.instanceOf(error, Execution.ExecutionCancelled)
    assert.strictEqual(Errors.outcome(error), "applied")
  })

  test("does not hide a write from a process whose clock is behind", function* () {
    const store = yield* memoryStore.make
    const body = () =>
      Effect.gen(function* () {
        yield* Durable.sleep("a moment", "10 seconds")
        yield* paid
        yield* Durable.sleep("a day", "1 day")
        return "done"
      })
    const first = yield* on(store, body)
    const operator = yield* Effect.provide(started, first)
    yield* VirtualClock.pass("10 seconds")
    yield* operator.interrupt(key)
    yield* store.runners.leave(1)
    const { ahead, clock } = yield* SettableClock.make
    ahead.millis = -9_000
    const second = yield* Effect.withClock(on(store, body), clock)
    yield* VirtualClock.pass("30 seconds")
    const error = yield* Effect.flip(
      Effect.provide(
        Effect.flatMap(Operator.of(Shop), ({ await: end }) => end(key)),
        second
      )
    )
    assert.instanceOf(error, Execution.ExecutionCancelled)
    assert.strictEqual(Errors.outcome(error), "applied")
  })
})

describe("a body", () => {
  for (const [which, before] of [
    ["the first block", Effect.void],
    ["a later block", Durable.sleep("a moment", "1 milli")]
  ] as const) {
    test(`sends nothing from a race if that is ${which}`, function* () {
      let sent = 0
      const race = DurableDeferred.raceAll({
        name: "race",
        success: Schema.String,
        error: Durable.WriteError,
        effects: [write("Shop.pay", () => Effect.sync(() => `pay-${++sent}`))]
      })
      const operator = yield* begun(() => Effect.zipRight(before, race))
      assert.strictEqual((yield* operator.status(key)).state, "Died")
      assert.strictEqual(sent, 0)
    })
  }

  test("stores the failure of a step that interrupts the rest of it", function* () {
    let runs = 0
    const execute = Effect.suspend(() => {
      runs++
      return Effect.all([Effect.fail(refusal), Effect.never], { concurrency: 2, discard: true })
    })
    const both = { name: "both", success: Schema.Void, error: Durable.WriteError, execute }
    const operator = yield* begun(() => Effect.as(Durable.step(both), "done"))
    assert.strictEqual((yield* Effect.flip(operator.await(key)))._tag, refusal._tag)
    assert.strictEqual((yield* operator.status(key)).state, "Failed")
    assert.strictEqual(runs, 1)
  })

  test("sends an interrupted request again if the execution goes on", function* () {
    let sent = 0
    const send = Effect.suspend(() =>
      ++sent === 1 ? Effect.interrupt : Effect.succeed(`pay-${sent}`)
    )
    const operator = yield* begun(() => write("Shop.pay", () => send))
    assert.strictEqual(yield* operator.await(key), "pay-2")
  })

  test("goes on with the result that was stored first", function* () {
    const store = yield* memoryStore.make
    const storeStep: engineStore.EngineStore["storeStep"] = (executionId, runner, step) => {
      const earlier = { ...step, exit: step.exit.replace("pay-1", "pay-0") }
      return Effect.zipRight(
        store.storeStep(executionId, runner, earlier),
        store.storeStep(executionId, runner, step)
      )
    }
    const operator = yield* begunOn({ ...store, storeStep }, () => paid)
    assert.strictEqual(yield* operator.await(key), "pay-0")
  })

  test("waits for a signal that has the name of a pause", function* () {
    const operator = yield* begun(() =>
      Effect.gen(function* () {
        yield* DurableClock.sleep({ name: "approval", duration: "1 day" })
        yield* DurableDeferred.await(DurableDeferred.make("approval"))
        return "approved"
      })
    )
    yield* VirtualClock.pass("2 days")
    assert.strictEqual((yield* operator.status(key)).state, "Waiting")
  })

  test("runs again once after it has sent itself a signal", function* () {
    let lives = 0
    const step = Activity.make({ name: "step", execute: Effect.void })
    yield* begun(() =>
      Effect.gen(function* () {
        lives++
        yield* DurableDeferred.into(step, DurableDeferred.make("own"))
        yield* DurableClock.sleep({ name: "a day", duration: "1 day" })
        return "done"
      })
    )
    yield* VirtualClock.pass("1 minute")
    assert.isAtMost(lives, 3)
  })

  test("that is woken when it is about to wait looks again", function* () {
    const store = yield* memoryStore.make
    let lives = 0
    const modify: engineStore.EngineStore["modify"] = (executionId, change, runner) => {
      const stored = store.modify(executionId, change, runner)
      const isFirstWait = runner !== undefined && lives === 1
      return isFirstWait
        ? Effect.zipRight(store.modify(executionId, transitions.woken), stored)
        : stored
    }
    const body = () =>
      Effect.gen(function* () {
        lives++
        yield* Durable.sleep("a day", "1 day")
        return "done"
      })
    yield* begunOn({ ...store, modify }, body)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual(lives, 2)
  })

  test("that interrupts itself fails", function* () {
    let lives = 0
    const life = Effect.sync(() => lives++)
    const operator = yield* begun(() => Effect.zipRight(life, Effect.interrupt))
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual((yield* operator.status(key)).state, "Failed")
    assert.strictEqual(lives, 1)
  })

  Test.live("that sleeps for ever spoils no list", function* () {
    const engine = Sqlite.layerSqlite({ file: yield* Files.database })
    const body = () => Effect.as(Durable.sleep("for ever", Infinity), "done")
    yield* Effect.gen(function* () {
      const operator = yield* Operator.of(Shop)
      yield* operator.start({ key })
      yield* Effect.repeat(Effect.delay(operator.status(key), "20 millis"), {
        until: ({ state }) => state === "Waiting"
      })
      assert.strictEqual(yield* Stream.runCount(Executions.stream()), 1)
    }).pipe(Effect.provide(Layer.provideMerge(shop(body), engine)))
  })
})

describe("a life that is cut", () => {
  test("undoes nothing, because another one goes on", function* () {
    const store = yield* memoryStore.make
    const notes: Array<string> = []
    const refund = Effect.sync(() => void notes.push("refund"))
    const body = Durable.compensate(note(notes, "pay"), () => refund).pipe(
      Effect.zipRight(Activity.make({ name: "slow", execute: Effect.sleep("10 seconds") })),
      Effect.as("done"),
      Durable.compensating
    )
    const operator = yield* begunOn(store, () => body)
    yield* store.runners.leave(1)
    yield* VirtualClock.pass("60 seconds")
    assert.strictEqual(yield* operator.await(key), "done")
    assert.deepStrictEqual(notes, ["pay"])
  })

  test("is gone on with, also if its runner has died", function* () {
    const store = yield* memoryStore.make
    const body = () => Effect.as(Durable.sleep("an hour", "1 hour"), "done")
    yield* Effect.scoped(begunOn(store, body))
    // A process that is killed leaves its number in the row.
    const executionId = yield* Shop.executionId({ key })
    yield* store.modify(executionId, (one) => ({ ...one, runner: 99 }))

    const operator = yield* Effect.provide(Operator.of(Shop), yield* on(store, body))
    yield* VirtualClock.pass("2 hours")
    assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  })

  test("ends before its execution runs again in the same process", function* () {
    const store = yield* memoryStore.make
    const runs = { now: 0, most: 0, begun: 0 }
    const enter = Effect.sync(() => {
      runs.begun++
      runs.most = Math.max(runs.most, ++runs.now)
    })
    const exit = Effect.zipRight(
      Effect.sleep("10 seconds"),
      Effect.sync(() => runs.now--)
    )
    const execute = Effect.acquireUseRelease(
      enter,
      () => Effect.sleep("30 seconds"),
      () => exit
    )
    const body = () => Effect.as(Activity.make({ name: "slow", execute }), "done")
    const operator = yield* begunOn(store, body)
    // Its runner is taken for dead, and continues as a new one.
    yield* store.runners.leave(1)
    yield* VirtualClock.pass("2 minutes")
    assert.strictEqual(yield* operator.await(key), "done")
    assert.deepStrictEqual(runs, { now: 0, most: 1, begun: 2 })
  })

  test("sends nothing more once another runner has its execution", function* () {
    const store = yield* memoryStore.make
    let sent = 0
    const sending = Effect.forever(
      Effect.zipRight(
        Effect.sleep("4 seconds"),
        Effect.sync(() => sent++)
      )
    )
    yield* begunOn(store, () => write("Shop.pay", () => sending))
    const other = yield* store.runners.join
    yield* store.runners.leave(1)
    const executionId = yield* Shop.executionId({ key })
    yield* store.modify(executionId, (one) => transitions.taken(one, other))
    yield* VirtualClock.pass("1 minute")
    assert.isAtMost(sent, 3)
  })

  test("takes nothing more while it ends", function* () {
    const store = yield* memoryStore.make
    const late: Array<string> = []
    const body: Body = (which) =>
      Effect.gen(function* () {
        if (which === "slow") {
          const execute = Effect.uninterruptible(Effect.sleep("10 seconds"))
          yield* Activity.make({ name: "slow", execute })
        } else {
          yield* Durable.sleep("a moment", "7 seconds")
          yield* note(late, "late")
        }
        return "done"
      })
    const scope = yield* Scope.make()
    const context = yield* Scope.extend(on(store, body), scope)
    const operator = yield* Effect.provide(Operator.of(Shop), context)
    yield* operator.start({ key: IdempotencyKey.make("paused") })
    yield* VirtualClock.pass("3 seconds")
    yield* operator.start({ key: IdempotencyKey.make("slow") })
    yield* VirtualClock.pass("1 second")
    yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* VirtualClock.pass("45 seconds")
    assert.deepStrictEqual(late, [])
  })

  for (const discard of [true, false]) {
    test(`does not end a body whose database was away when it started another, discard ${discard}`, function* () {
      const Child = Workflow.make({
        name: "Shop/Child/1",
        payload: { key: Schema.String },
        idempotencyKey: ({ key }) => key
      })
      const store = yield* memoryStore.make
      let inserts = 0
      const failing: engineStore.EngineStore = {
        ...store,
        insert: (execution) =>
          ++inserts === 2
            ? new Execution.StorageError({ operation: "store an execution", cause: "away" })
            : store.insert(execution)
      }
      const layers = Layer.mergeAll(
        shop(() => Effect.as(Child.execute({ key: "child" }, { discard }), "done")),
        Child.toLayer(() => Effect.void)
      )
      const context = yield* Layer.build(Layer.provideMerge(layers, engines.on(failing)))
      const operator = yield* Effect.provide(started, context)
      yield* VirtualClock.pass("60 seconds")
      assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
    })
  }
})

it("payloads differ in members that only one has, and in the items of lists", () => {
  for (const [left, right, differs] of [
    [{ a: 1 }, {}, ["a"]],
    [{}, { a: 1 }, ["a"]],
    [{ a: { b: 1 } }, { a: { b: "1" } }, ["a.b"]],
    [{ a: [1] }, { a: [1, 2] }, ["a"]],
    [{ a: [1, 2] }, { a: [1, 3] }, ["a[1]"]],
    [{ a: [] }, { a: {} }, ["a"]]
  ] as const) {
    assert.deepStrictEqual(differences(left, right), differs)
  }
})

describe("a value that cannot be stored as it is", () => {
  const Count = Workflow.make({
    name: "Shop/Count/1",
    payload: { key: Schema.String, least: Schema.NullOr(Schema.Number) },
    success: Schema.Number.pipe(Schema.lessThan(100)),
    idempotencyKey: ({ key }) => key
  })
  const count = { name: "count", success: Schema.Number, execute: Effect.succeed(NaN) }
  const success = Schema.NullOr(Schema.Number)
  const bigint = Effect.succeed(15_000n)
  const layer = (
    body: Effect.Effect<
      number,
      never,
      WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance
    >
  ) =>
    Layer.provideMerge(
      Count.toLayer(() => body),
      Memory.layerMemory
    )

  for (const [name, body] of [
    ["an end", Effect.succeed(NaN)],
    ["an end that breaks a rule", Effect.succeed(100)],
    ["an activity", Activity.make(count)],
    ["a step", Effect.orDie(Durable.step({ ...count, error: Schema.Never }))],
    // A later run would read `null`, which fits the schema.
    ["an optional number", Effect.map(Activity.make({ ...count, success }), Number)],
    [
      "a bigint",
      Effect.as(Activity.make({ ...count, execute: bigint, success: Schema.Unknown }), 1)
    ]
  ] as const) {
    VirtualClock.tests(layer(body))(`ends an execution: ${name}`, function* () {
      const operator = yield* Operator.of(Count)
      yield* operator.start({ key, least: 0 })
      yield* VirtualClock.pass("5 seconds")
      assert.strictEqual((yield* operator.status(key)).state, "Died")
      const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
      assert.include(Cause.pretty(cause), "or JSON does not keep it: ")
      // Somebody has to look at it first.
      assert.strictEqual(yield* Executions.purge({ minAge: 0 }), 0)
    })
  }

  Test.over(layer(Effect.succeed(1))).effect("starts no execution: a payload", function* () {
    const operator = yield* Operator.of(Count)
    const error = yield* Effect.flip(operator.start({ key, least: Infinity }))
    assert.strictEqual(error._tag, "InvalidPayload")
    assert.include(error.message, "least must be a value that JSON keeps")
    assert.strictEqual((yield* Effect.flip(operator.status(key)))._tag, "ExecutionNotFound")
  })

  const vote = DurableDeferred.make("vote", { success: Schema.Number })
  VirtualClock.tests(layer(DurableDeferred.await(vote)))(
    "fails its sender: a signal",
    function* () {
      const operator = yield* Operator.of(Count)
      const executionId = yield* operator.start({ key, least: 0 })
      const token = DurableDeferred.tokenFromExecutionId(vote, { workflow: Count, executionId })
      const cause = yield* Effect.flip(
        Effect.sandbox(DurableDeferred.succeed(vote, { token, value: NaN }))
      )
      assert.include(Cause.pretty(cause), "a value that JSON keeps")
      yield* DurableDeferred.succeed(vote, { token, value: 7 })
      yield* VirtualClock.pass("5 seconds")
      assert.strictEqual(yield* operator.await(key), 7)
    }
  )
})

describe("a step that waits", () => {
  const Other = Workflow.make({
    name: "Shop/Other/1",
    payload: { key: Schema.String },
    idempotencyKey: ({ key }) => key
  })
  for (const [name, execute] of [
    ["a pause", DurableClock.sleep({ name: "an hour", duration: "1 hour" })],
    ["a signal", DurableDeferred.await(DurableDeferred.make("approval"))],
    ["an execution", Other.execute({ key: "other" })]
  ] as const) {
    test(`for ${name} ends its execution, and says where to wait`, function* () {
      const step = { name: "wait", success: Schema.Void, error: Schema.Never, execute }
      const operator = yield* begun(() => Effect.as(Durable.step(step), "done"))
      const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
      assert.include(Cause.pretty(cause), "Do that in the body, before or after the step.")
    })
  }
})

describe("a body that starts another execution", () => {
  const Child = Workflow.make({
    name: "Shop/Child/1",
    payload: { key: Schema.String },
    success: Schema.String,
    error: Durable.WriteError,
    idempotencyKey: ({ key }) => key
  })
  const child = Child.execute({ key: "child" })
  type ChildBody = Effect.Effect<string, typeof Durable.WriteError.Type, Durable.InExecution>
  /** A process of both, which has started the first. */
  const both = (body: Body, childBody: ChildBody, engine = Memory.layerMemory) =>
    Effect.gen(function* () {
      const layer = Layer.merge(
        shop(body),
        Child.toLayer(() => childBody)
      )
      const context = yield* Layer.build(Layer.provideMerge(layer, engine))
      const children = yield* Effect.provide(Operator.of(Child), context)
      return { children, context, start: Effect.provide(started, context) }
    })
  const asleep = Effect.as(Durable.sleep("a moment", "10 seconds"), "done")

  test("can read the end of that one, which is not purged before", function* () {
    const store = yield* memoryStore.make
    let isAway = true
    const away = new Execution.StorageError({ operation: "wake an execution", cause: "" })
    const wake = (id: string) => Effect.suspend(() => (isAway ? away : store.wake(id)))
    const engine = engines.on({ ...store, wake })
    const { children, context, start } = yield* both(() => child, paid, engine)
    const operator = yield* start
    assert.strictEqual((yield* operator.status(key)).state, "Waiting")
    const purge = Executions.purge({ minAge: 0 })
    assert.strictEqual(yield* Effect.provide(purge, context), 0)
    for (const early of [children.purge("child"), operator.purge(key)]) {
      assert.strictEqual((yield* Effect.flip(early))._tag, "ExecutionNotEnded")
    }
    isAway = false
    yield* VirtualClock.pass("10 seconds")
    assert.strictEqual(yield* operator.await(key), "pay-1")
    // It has no blocks of its own.
    const created = { outcome: "applied", resource: "pay-1" } as const
    assert.deepInclude(yield* operator.status(key), created)
    assert.strictEqual(yield* Effect.provide(purge, context), 2)
  })

  test("and does not await it goes on after that one was purged", function* () {
    const begin = Child.execute({ key: "child" }, { discard: true })
    const body = Effect.zipRight(begin, Durable.sleep("a week", "7 days"))
    const { children, start } = yield* both(() => Effect.as(body, "done"), paid)
    yield* children.start({ key: "child" })
    yield* VirtualClock.pass("5 seconds")
    const operator = yield* start
    yield* children.purge("child")
    yield* VirtualClock.pass("8 days")
    assert.strictEqual(yield* operator.await(key), "done")
  })

  test("ends as soon as that one ends, also if the answer of the database is lost", function* () {
    const store = yield* memoryStore.make
    let isLost = false
    const modify: engineStore.EngineStore["modify"] = (...args) =>
      Effect.flatMap(store.modify(...args), (changed) => {
        if (isLost || !Option.exists(changed, ({ end }) => end !== undefined)) {
          return Effect.succeed(changed)
        }
        isLost = true
        return new Execution.StorageError({ operation: "change an execution", cause: "lost" })
      })
    const { start } = yield* both(() => child, asleep, engines.on({ ...store, modify }))
    const operator = yield* start
    yield* VirtualClock.pass("10 seconds")
    assert.isTrue(isLost)
    assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  })

  test("says that something was created, if that one has created it", function* () {
    const body = Effect.zipLeft(child, Durable.sleep("a day", "1 day"))
    const operator = yield* Effect.flatMap(
      both(() => body, paid),
      ({ start }) => start
    )
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("5 seconds")
    const error = yield* Effect.flip(operator.await(key))
    assert.instanceOf(error, Execution.ExecutionCancelled)
    assert.deepInclude(error, { outcome: "applied", resource: "pay-1" })
  })

  test("says so, although a later life ends before it comes to that one", function* () {
    let lives = 0
    const early = Effect.zipLeft(child, Durable.sleep("a day", "1 day"))
    const body = Effect.suspend(() => (++lives > 2 ? Effect.fail(refusal) : early))
    const operator = yield* Effect.flatMap(
      both(() => body, paid),
      ({ start }) => start
    )
    yield* operator.resume(key)
    yield* VirtualClock.pass("5 seconds")
    const { outcome, state } = yield* operator.status(key)
    assert.deepStrictEqual({ outcome, state }, { outcome: "applied", state: "Failed" })
  })

  test("has applied nothing, if that one is refused", function* () {
    const refused = Child.execute({ key: "x".repeat(700) })
    const body = Effect.zipRight(Durable.sleep("a moment", "1 second"), refused)
    const operator = yield* Effect.flatMap(
      both(() => body, paid),
      ({ start }) => start
    )
    yield* VirtualClock.pass("5 seconds")
    const { outcome, state } = yield* operator.status(key)
    assert.deepStrictEqual({ outcome, state }, { outcome: "notApplied", state: "Died" })
  })

  const unreadable = write("Shop.pay", (key) =>
    Effect.fail(
      new Errors.AppliedUnreadable({
        operation: "Shop.pay",
        status: 201,
        message: "unreadable",
        issues: [],
        key
      })
    )
  )
  for (const [how, childBody] of [
    ["failed", unreadable],
    ["died", Effect.zipRight(paid, Effect.die("a bug"))]
  ] as const) {
    test(`undoes nothing, if that one ${how} and may have created something`, function* () {
      const undone: Array<string> = []
      const undo = Effect.sync(() => void undone.push("reserve"))
      const body = Durable.compensate(Durable.sleep("reserve", "1 milli"), () => undo).pipe(
        Effect.zipRight(Effect.catchAllDefect(child, Effect.fail)),
        Effect.orElseFail(() => refusal),
        Durable.compensating
      )
      const operator = yield* Effect.flatMap(
        both(() => body, childBody),
        ({ start }) => start
      )
      assert.strictEqual((yield* Effect.flip(operator.await(key)))._tag, refusal._tag)
      assert.deepStrictEqual(undone, [])
    })
  }
})

describe("a stored result that the schema of this process does not fit", () => {
  const reserve = <A, I>(success: Schema.Schema<A, I>, value: A) => {
    const step = { name: "reserve", success, error: Schema.Never, execute: Effect.succeed(value) }
    const body = Effect.zipRight(Durable.step(step), Durable.sleep("a moment", "10 seconds"))
    return () => Durable.compensating(Effect.as(body, "done"))
  }

  test("waits for a process whose schema fits", function* () {
    const store = yield* memoryStore.make
    const life = (body: Body) =>
      Effect.gen(function* () {
        const operator = yield* begunOn(store, body)
        yield* VirtualClock.pass("30 seconds")
        return (yield* operator.status(key)).state
      }).pipe(Effect.scoped)
    yield* Effect.scoped(begunOn(store, reserve(Schema.Number, 1)))
    assert.strictEqual(yield* life(reserve(Schema.String, "one")), "Waiting")
    assert.strictEqual(yield* life(reserve(Schema.Number, 1)), "Succeeded")
  })

  const Child = (success: Schema.Schema<string>) =>
    Workflow.make({
      name: "Shop/Child/1",
      payload: { key: Schema.String },
      success,
      idempotencyKey: ({ key }) => key
    })
  for (const [name, read] of [
    [
      "of an activity",
      (success) => Activity.make({ name: "tea", success, execute: Effect.succeed("tea") })
    ],
    ["of a signal", (success) => DurableDeferred.await(DurableDeferred.make("tea", { success }))],
    ["of an execution", (success) => Child(success).execute({ key: "child" })]
  ] satisfies ReadonlyArray<
    readonly [
      string,
      (success: Schema.Schema<string>) => Effect.Effect<string, never, Durable.InExecution>
    ]
  >) {
    test(`${name} waits for a process whose schema fits, and undoes nothing`, function* () {
      const store = yield* memoryStore.make
      let undone = 0
      const undo = Effect.sync(() => void undone++)
      const body = (success: Schema.Schema<string>) =>
        Durable.compensate(Effect.void, () => undo).pipe(
          Effect.zipRight(read(success)),
          Effect.zipLeft(Durable.sleep("a minute", "1 minute")),
          Durable.compensating
        )
      const life = (success: Schema.Schema<string>) =>
        Effect.gen(function* () {
          const operator = yield* started
          yield* signal(yield* Shop.executionId({ key }), "tea", "tea")
          yield* VirtualClock.pass("30 seconds")
          return (yield* operator.status(key)).state
        }).pipe(
          Effect.provide(
            Layer.merge(
              shop(() => body(success)),
              Child(success).toLayer(() => Effect.succeed("tea"))
            ).pipe(Layer.provideMerge(engines.on(store)))
          )
        )
      assert.strictEqual(yield* life(Schema.String), "Waiting")
      yield* VirtualClock.pass("30 seconds")
      assert.strictEqual(yield* life(Schema.String.pipe(Schema.minLength(20))), "Waiting")
      assert.strictEqual(yield* life(Schema.String), "Succeeded")
      assert.strictEqual(undone, 0)
    })
  }

  test("sleeps on after a resume, once its schema fits", function* () {
    const store = yield* memoryStore.make
    const life = (success: Schema.Schema<string>) =>
      shop(() =>
        Effect.zipLeft(
          Durable.step({
            name: "tea",
            success,
            error: Schema.Never,
            execute: Effect.succeed("tea")
          }),
          Durable.sleep("30 days", "30 days")
        )
      ).pipe(Layer.provideMerge(engines.on(store)))
    yield* Effect.provide(started, life(Schema.String))
    yield* Effect.gen(function* () {
      const operator = yield* started
      yield* signal(yield* Shop.executionId({ key }), "wake", "")
      yield* VirtualClock.pass("5 seconds")
      assert.strictEqual((yield* operator.status(key)).pause, Execution.Pause.unreadable)
      yield* operator.resume(key)
    }).pipe(Effect.provide(life(Schema.String.pipe(Schema.minLength(20)))))
    const operator = yield* Effect.provide(started, life(Schema.String))
    assert.strictEqual((yield* operator.status(key)).state, "Waiting")
  })
})

test("a pause begins and ends by the time of the store, and not of the process", function* () {
  const store = yield* memoryStore.make
  const hourMillis = 3_600_000
  const now = Effect.map(Clock.currentTimeMillis, (millis) => millis + hourMillis)
  const context = yield* on({ ...store, runners: { ...store.runners, now } }, () =>
    Effect.as(Durable.sleep("a while", "10 minutes"), "done")
  )
  const operator = yield* Effect.provide(started, context)
  const { dueMillis, startedMillis } = yield* operator.status(key)
  const begun = (yield* Clock.currentTimeMillis) + hourMillis
  assert.approximately(startedMillis, begun, 60_000)
  assert.approximately(dueMillis, begun + 600_000, 60_000)
  yield* VirtualClock.pass("5 minutes")
  assert.strictEqual((yield* operator.status(key)).state, "Waiting")
  yield* VirtualClock.pass("6 minutes")
  const { end } = yield* operator.status(key)
  assert.approximately(end?.atMillis ?? 0, dueMillis, 60_000)
})

test("two writes of a body with one key move money once, and end it", function* () {
  let sent = 0
  const send = () => Effect.sync(() => `pay-${++sent}`)
  const pay = (operation: string) =>
    Durable.write({ operation, key, success: Schema.String, idOf: (id) => id, send })
  const body = () => Effect.zipRight(pay("Shop.one"), pay("Shop.two"))
  const context = yield* Layer.build(inMemory(body))
  const operator = yield* Effect.provide(started, context)
  const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
  assert.include(Cause.pretty(cause), 'two writes have the key "order-42"')
  // Somebody has to look at it first.
  assert.strictEqual(yield* Effect.provide(Executions.purge({ minAge: 0 }), context), 0)
  assert.strictEqual(sent, 1)
})

test("an execution that was purged keeps its key, and nothing else", function* () {
  let runs = 0
  const run = Effect.sync(() => runs++)
  const context = yield* Layer.build(inMemory(() => Effect.zipRight(run, paid)))
  const operator = yield* Effect.provide(started, context)
  yield* operator.purge(key)
  for (const call of [operator.start({ key }), operator.await(key), operator.poll(key)]) {
    const error = yield* Effect.flip<unknown, { readonly _tag: string }, never>(call)
    assert.strictEqual(error._tag, "ExecutionPurged")
  }
  assert.strictEqual(runs, 1)
  const { find, steps } = Context.get(context, Engine.Engine)
  const stored = yield* Effect.flatten(find({ workflow: Shop.name, businessKey: key }))
  assert.deepInclude(stored, { payload: "", exit: undefined, clocks: {} })
  const { executionId } = stored
  yield* Effect.provide(signal(executionId, "late", "12 Rue du Commerce"), context)
  assert.deepStrictEqual(yield* steps(executionId), [])
})

test("an execution whose owner hears late that it owns it runs no second time", function* () {
  const store = yield* memoryStore.make
  let isSlow = true
  const late = Effect.suspend(() => Effect.sleep(isSlow ? "4 seconds" : 0))
  const slow: engineStore.EngineStore = {
    ...store,
    insert: (execution) => Effect.zipLeft(store.insert(execution), late),
    take: (...args) =>
      Effect.tap(store.take(...args), ({ taken }) => (taken.length > 0 ? late : Effect.void))
  }
  let lives = 0
  const body = () =>
    Effect.gen(function* () {
      lives++
      yield* Activity.make({ name: "slow", execute: Effect.sleep("5 seconds") })
      yield* Durable.sleep("a moment", "2 seconds")
      return "done"
    })
  const context = yield* on(slow, body)
  // Each answer comes after the next look for executions that nobody runs.
  yield* VirtualClock.pass("3 seconds")
  const operator = yield* Effect.provide(Operator.of(Shop), context)
  yield* Effect.fork(operator.start({ key }))
  yield* VirtualClock.pass("30 seconds")
  // A look cannot be interrupted.
  isSlow = false
  yield* VirtualClock.pass("30 seconds")
  assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  assert.strictEqual(lives, 2)
})

VirtualClock.tests(
  inMemory(() =>
    Effect.as(Activity.make({ name: "slow", execute: Effect.sleep("10 seconds") }), "done")
  )
)("more executions than run at once wait for their turn", function* () {
  const operator = yield* Operator.of(Shop)
  const keys = Array.from({ length: 1_100 }, (_, i) => IdempotencyKey.make(`order-${i}`))
  yield* Effect.forEach(keys, (key) => operator.start({ key }), { discard: true })
  yield* VirtualClock.pass("1 minute")
  assert.strictEqual((yield* operator.status("order-1099")).state, "Succeeded")
})

test("bodies that all wait in memory do not hold up another workflow", function* () {
  const Other = Workflow.make({
    name: "Shop/Other/1",
    payload: { key: Schema.String },
    success: Schema.String,
    idempotencyKey: ({ key }) => key
  })
  const sleep = Effect.orDie(Durable.sleep("a minute", "1 minute"))
  let running = 0
  const run = Effect.sync(() => running++)
  const store = yield* memoryStore.make
  const life = Layer.merge(
    shop(() => Effect.zipRight(run, Effect.never)),
    Other.toLayer(() => Effect.as(sleep, "done"))
  ).pipe(Layer.provideMerge(engines.on(store)))
  const start = (from: number, count: number) =>
    Effect.gen(function* () {
      const operator = yield* Operator.of(Shop)
      for (let i = from; i < from + count; i++) {
        yield* operator.start({ key: IdempotencyKey.make(`order-${i}`) })
      }
    })
  const context = yield* Layer.build(life)
  yield* Effect.provide(start(0, 30), context)
  const other = yield* Effect.provide(Operator.of(Other), context)
  yield* other.start({ key: "order-1" })
  // Those of a process that runs no workflow come by looks, a hundred each.
  yield* Effect.provide(start(30, 1_020), yield* Layer.build(engines.on(store)))
  yield* VirtualClock.pass("2 minutes")
  assert.strictEqual(running, 1_000)
  assert.strictEqual((yield* other.status("order-1")).state, "Succeeded")
  yield* other.start({ key: "order-2" })
  yield* VirtualClock.pass("2 minutes")
  assert.strictEqual((yield* other.status("order-2")).state, "Succeeded")
})

test("many that are woken at once leave room for one that is started", function* () {
  const store = yield* memoryStore.make
  let isSlow = false
  const slow: engineStore.EngineStore = {
    ...store,
    take: (...args) => Effect.delay(store.take(...args), isSlow ? "10 seconds" : 0)
  }
  const body: Body = (key) =>
    Effect.as(key === "sleeps" ? Durable.sleep("a day", "1 day") : Effect.void, "done")
  const context = yield* on(slow, body)
  const operator = yield* Effect.provide(Operator.of(Shop), context)
  yield* operator.start({ key: IdempotencyKey.make("sleeps") })
  yield* VirtualClock.pass("5 seconds")
  isSlow = true
  yield* Effect.fork(
    Effect.all(
      Array.from({ length: 20 }, () => operator.resume("sleeps")),
      { concurrency: "unbounded" }
    )
  )
  yield* VirtualClock.pass("1 second")
  yield* operator.start({ key })
  yield* VirtualClock.pass("1 second")
  assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
  // A look cannot be interrupted.
  isSlow = false
  yield* VirtualClock.pass("30 seconds")
})

VirtualClock.test("a body goes on at once if what it awaits has ended while it ran", () => {
  const Quick = Workflow.make({
    name: "Shop/Quick/1",
    payload: { key: Schema.String },
    idempotencyKey: ({ key }) => key
  })
  return Effect.gen(function* () {
    const { end, startedMillis } = yield* (yield* started).status(key)
    assert.isBelow((end?.atMillis ?? Infinity) - startedMillis, 500)
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Quick.toLayer(() => Effect.sleep("5 millis")),
        inMemory((key) => Effect.as(Quick.execute({ key }), "done"))
      )
    )
  )
})

/** Text that PostgreSQL cannot store or find, or that differs from no other in UTF-8. */
const unstorable = ["\0", "\ud800", "x".repeat(600)]
const rule =
  "must be well-formed text of at most 600 characters, without a lone surrogate or the character NUL (U+0000)"

describe("text that no database stores", () => {
  const Any = Workflow.make({
    name: "Shop/Any/1",
    payload: { key: Schema.String, step: Schema.String },
    idempotencyKey: ({ key }) => key
  })

  Test.live("is refused in a key, and nothing is started", function* () {
    let runs = 0
    const workflows = Any.toLayer(() => Effect.sync(() => void runs++))
    const context = yield* Layer.build(Layer.provideMerge(workflows, Memory.layerMemory))
    const operator = yield* Effect.provide(Operator.of(Any), context)
    for (const character of unstorable) {
      const error = yield* Effect.flip(operator.start({ key: `a${character}`, step: "" }))
      assert.instanceOf(error, Execution.InvalidPayload)
      assert.deepStrictEqual(error.issues, [{ field: "key", rule }])
    }
    assert.strictEqual(runs, 0)
  })

  Test.live("is refused in the name of a workflow, also without its layer", function* () {
    const context = yield* Layer.build(Memory.layerMemory)
    for (const character of unstorable) {
      const workflow = Workflow.make({
        name: `Shop/${character}/1`,
        payload: { key: Schema.String },
        idempotencyKey: ({ key }) => key
      })
      const operator = yield* Effect.provide(Operator.of(workflow), context)
      const error = yield* Effect.flip(operator.start({ key: "order-42" }))
      assert.instanceOf(error, Execution.InvalidPayload)
      assert.deepStrictEqual(error.issues, [{ field: "workflow", rule }])
    }
  })

  Test.live("is refused in the name of a step, before the step runs", function* () {
    let runs = 0
    const execute = Effect.sync(() => void runs++)
    const success = Schema.Void
    /** The blocks and steps whose names are stored. */
    const named: Readonly<
      Record<string, (name: string) => Effect.Effect<unknown, unknown, Durable.InExecution>>
    > = {
      activity: (name) => Activity.make({ name, execute }),
      deferred: (name) => DurableDeferred.await(DurableDeferred.make(name)),
      sleep: (name) => Durable.sleep(name, "1 day"),
      step: (name) => Durable.step({ name, success, error: Schema.Never, execute }),
      signal: (name) => Durable.signal({ name, success, deadline: "1 day" }),
      write: (operation) =>
        Durable.write({ operation, key, success, idOf: () => "", send: () => execute }),
      pollUntil: (name) =>
        Durable.pollUntil({
          name,
          success,
          failure: Schema.Never,
          look: () => Effect.asSome(execute),
          expired: () => undefined
        })
    }
    const workflows = Any.toLayer(({ step }) => {
      const kind = Object.keys(named).find((kind) => step.startsWith(kind))
      return Effect.asVoid(Effect.orDie(named[kind ?? ""]?.(step) ?? execute))
    })
    const context = yield* Layer.build(Layer.provideMerge(workflows, Memory.layerMemory))
    const operator = yield* Effect.provide(Operator.of(Any), context)
    for (const [i, step] of Object.keys(named).entries()) {
      for (const [j, character] of unstorable.entries()) {
        const key = `${i}-${j}`
        yield* operator.start({ key, step: `${step}${character}` })
        const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
        assert.include(Cause.pretty(cause), "must be well-formed text")
      }
    }
    assert.strictEqual(runs, 0)
  })
})

describe("a key", () => {
  const payload = { key: Schema.String, day: Schema.optional(Schema.String) }
  const define = (
    idempotencyKey: (payload: { readonly key: string; readonly day?: string | undefined }) => string
  ) => Workflow.make({ name: "Shop/Daily/1", payload, idempotencyKey })

  Test.live("that is not the idempotency key is refused, and nothing is stored", function* () {
    const daily = define(({ day, key }) => `${key}${day ?? ""}`)
    const live = Layer.provideMerge(
      daily.toLayer(() => Effect.void),
      Memory.layerMemory
    )
    const context = yield* Layer.build(live)
    yield* Effect.gen(function* () {
      const operator = yield* Operator.of(daily)
      const other = { key: "order-42", day: "monday" }
      const error = yield* Effect.flip(operator.start(other))
      assert.instanceOf(error, Execution.InvalidPayload)
      assert.include(error.message, "key must be what `idempotencyKey` of the workflow returns")
      const defect = yield* Effect.flip(Effect.sandbox(daily.execute(other)))
      assert.include(Cause.pretty(defect), "InvalidPayload")
      const { list } = yield* Engine.Engine
      assert.deepStrictEqual(yield* list({}, undefined, 10), [])
      yield* operator.start({ key: "order-42" })
      assert.lengthOf(yield* list({}, undefined, 10), 1)
    }).pipe(Effect.provide(context))
  })
})

const Plain = Workflow.make({
  name: "Shop/Plain/1",
  payload: { key: Schema.String },
  idempotencyKey: ({ key }) => key
})

Test.over(
  Layer.provideMerge(
    Plain.toLayer(() => Effect.void),
    Memory.layerMemory
  )
).live("a body without blocks has no outcome: nobody has noted its effects", function* () {
  const operator = yield* Operator.of(Plain)
  yield* operator.start({ key: "order-42" })
  yield* operator.await("order-42")
  const { outcome, state } = yield* operator.status("order-42")
  assert.deepStrictEqual({ outcome, state }, { outcome: undefined, state: "Succeeded" })
})
