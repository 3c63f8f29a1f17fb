/** Bodies without blocks, as Effect's documentation writes them: interrupts, compensations and signals. */
import { assert, describe } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Durable from "@manilla/workflows/Durable"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as engineStore from "../src/internal/engineStore.js"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as engines from "./utils/engines.js"

const test = VirtualClock.tests(Layer.empty)

const workflow = <Name extends string>(name: Name) =>
  Workflow.make({
    name,
    payload: { key: Schema.String },
    error: Schema.String,
    idempotencyKey: ({ key }) => key
  })

const Shop = workflow("Shop/Plain/1")
const Patient = Shop.annotate(Workflow.SuspendOnFailure, true)
const Child = workflow("Shop/Child/1")
const Dated = Workflow.make({
  name: "Shop/Dated/1",
  payload: { key: Schema.String, at: Schema.Number },
  idempotencyKey: ({ key }) => key
})

type Body = Effect.Effect<
  void,
  string,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance | Scope.Scope
>

const key = "order-42"
const sleep = (name: string, minutes: number) =>
  DurableClock.sleep({ name, duration: `${minutes} minutes`, inMemoryThreshold: 1 })
const approval = DurableDeferred.make("approval")
const approved = DurableDeferred.await(approval)
const child = Child.execute({ key: "child" })
const refuse = Effect.fail("refused")

/** Sends the signal of an approval. */
const approve = (key: string) =>
  Effect.gen(function* () {
    const executionId = yield* Shop.executionId({ key })
    const token = DurableDeferred.tokenFromExecutionId(approval, { workflow: Shop, executionId })
    yield* DurableDeferred.succeed(approval, { token, value: undefined })
  })

/** Notes what was done, and makes activities that note what they do after some seconds. */
const notes = () => {
  const done: Array<string> = []
  const note = (name: string) => Effect.sync(() => void done.push(name))
  const step = (name: string, seconds = 0) =>
    Activity.make({ name, execute: Effect.delay(note(name), `${seconds} seconds`) })
  return { done, note, step }
}

/** A process, whose children sleep. */
const life = (
  store: engineStore.EngineStore,
  body: Body,
  { childBody = sleep("child", 20) as Body, workflow = Shop } = {}
) =>
  Effect.gen(function* () {
    const layer = Layer.mergeAll(
      workflow.toLayer(() => body),
      Child.toLayer(() => childBody),
      Dated.toLayer(() => Effect.orDie(childBody))
    )
    const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const live = Layer.provideMerge(layer, engines.on(store, "20 seconds"))
    const context = yield* Layer.buildWithScope(live, scope)
    const operator = yield* Effect.provide(Operator.of(workflow), context)
    const children = yield* Effect.provide(Operator.of(Child), context)
    yield* operator.start({ key })
    yield* VirtualClock.pass("5 seconds")
    return {
      operator,
      children,
      state: Effect.map(operator.status(key), ({ state }) => state),
      approve: Effect.provide(approve(key), context),
      end: Scope.close(scope, Exit.void)
    }
  })

const run = (body: Body, options?: Parameters<typeof life>[2]) =>
  Effect.flatMap(memoryStore.make, (store) => life(store, body, options))

/** A store in which something happens before the result of a step is kept for the first time. */
const beforeKeep = (
  store: engineStore.EngineStore,
  name: string,
  happens: (runner: number) => Effect.Effect<void, Execution.StorageError>
): engineStore.EngineStore => {
  let isFirst = true
  return {
    ...store,
    storeStep: (executionId, runner, step) =>
      Effect.suspend(() => {
        if (step.name !== name || !isFirst) return store.storeStep(executionId, runner, step)
        isFirst = false
        return Effect.zipRight(happens(runner), store.storeStep(executionId, runner, step))
      })
  }
}

test("a runner that was taken for dead sends nothing more, although the body catches all causes", function* () {
  const memory = yield* memoryStore.make
  const { done, step } = notes()
  const store = beforeKeep(memory, "pay A/1", memory.runners.leave)
  const body = Effect.catchAllCause(step("pay A"), () => step("pay B"))
  const { state } = yield* life(store, body)
  yield* VirtualClock.pass("1 minute")
  assert.deepStrictEqual([yield* state, ...done], ["Succeeded", "pay A", "pay A"])
})

describe("an execution is refused a wait that would never end, for", () => {
  const again = Shop.execute({ key })
  for (const [name, body] of [
    ["itself", again],
    ["the one that awaits it", child],
    ["the one that has started it", Child.execute({ key: "child" }, { discard: true })]
  ] as const) {
    test(name, function* () {
      const { children, operator } = yield* run(Effect.asVoid(body), { childBody: again })
      yield* VirtualClock.pass("1 minute")
      assert.isDefined((yield* operator.status(key)).end)
      const refused = name === "itself" ? operator.await(key) : children.await("child")
      const cause = yield* Effect.flip(Effect.sandbox(refused))
      assert.include(Cause.pretty(cause), "waits for the end of this one")
    })
  }
})

describe("an interrupt", () => {
  for (const [name, wait, mark] of [
    ["a signal", approved, "cancelled/deferred/approval/1"],
    ["a pause", sleep("long", 600), "cancelled/long/1"]
  ] as const) {
    test(`of a body that waits for ${name} is kept if the database fails once`, function* () {
      const away = new Execution.StorageError({ operation: "keep a result", cause: "away" })
      const store = beforeKeep(yield* memoryStore.make, mark, () => away)
      const { operator, state } = yield* life(store, wait)
      yield* operator.interrupt(key)
      yield* VirtualClock.pass("40 minutes")
      assert.strictEqual(yield* state, "Failed")
    })
  }

  for (const [name, outcome, started] of [
    ["awaits", undefined, child],
    [
      "has started",
      undefined,
      Effect.zipRight(Child.execute({ key: "child" }, { discard: true }), sleep("long", 20))
    ]
  ] as const) {
    test(`reaches an execution that a body ${name}`, function* () {
      const { children, operator, state } = yield* run(Effect.asVoid(started))
      yield* operator.interrupt(key)
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual(yield* state, "Failed")
      assert.strictEqual((yield* operator.status(key)).outcome, outcome)
      assert.strictEqual((yield* children.status("child")).state, "Failed")
    })
  }

  test("ends a body that waits because it has failed", function* () {
    const { operator, state } = yield* run(refuse, { workflow: Patient })
    assert.strictEqual(yield* state, "Waiting")
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual(yield* state, "Failed")
  })

  test("ends a body that is never suspended, because its pauses are short", function* () {
    const { step } = notes()
    const body = Effect.gen(function* () {
      for (let i = 0; i < 100; i++) {
        yield* step(`look ${i}`)
        yield* DurableClock.sleep({ name: `pause ${i}`, duration: "30 seconds" })
      }
    })
    const { operator, state } = yield* run(body)
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("2 minutes")
    assert.strictEqual(yield* state, "Failed")
  })
})

describe("a process that ends", () => {
  const twoLives = (body: Body) =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      const one = yield* life(store, body)
      const ending = yield* Effect.fork(one.end)
      yield* VirtualClock.pass("3 minutes")
      yield* ending
      return yield* life(store, body)
    })

  test("interrupts a body at once", function* () {
    const { end } = yield* run(Effect.never)
    const ending = yield* Effect.fork(end)
    yield* VirtualClock.pass("1 second")
    assert.isNotNull(ending.unsafePoll())
  })

  test("undoes nothing, although the body makes an error of its interrupt", function* () {
    const { done, note, step } = notes()
    const body = Effect.gen(function* () {
      yield* Durable.compensate(step("pay"), () => note("refund"))
      yield* step("ship", 60).pipe(
        Effect.catchAllCause(() => refuse),
        Effect.uninterruptible
      )
    })
    const { state } = yield* twoLives(Durable.compensating(body))
    yield* VirtualClock.pass("2 minutes")
    assert.deepStrictEqual([yield* state, ...done], ["Succeeded", "pay", "ship"])
  })
})

describe("a stored result that does not fit its schema", () => {
  for (const [name, body, done] of [
    [
      "undoes nothing, although the body makes an error of it",
      (tea: Body, step: (name: string) => Body) =>
        Effect.gen(function* () {
          yield* Durable.compensate(step("pay"), () => Effect.orDie(step("refund")))
          yield* Effect.catchAllCause(Effect.timeout(tea, "1 minute"), () => refuse)
          yield* sleep("bank", 1)
        }).pipe(Durable.compensating),
      ["Succeeded", "pay", "tea"]
    ],
    [
      "pays nobody else, although the body catches all causes",
      (tea: Body, step: (name: string) => Body) =>
        Effect.zipRight(
          Effect.catchAllCause(tea, () => step("pay")),
          sleep("bank", 1)
        ),
      ["Succeeded", "tea"]
    ]
  ] as const) {
    test(name, function* () {
      const store = yield* memoryStore.make
      const { done: all, note, step } = notes()
      const lives = (success: Schema.Schema<string>) => {
        const tea = Activity.make({ name: "tea", success, execute: Effect.as(note("tea"), "tea") })
        return life(store, body(Effect.asVoid(tea), step))
      }
      yield* (yield* lives(Schema.String)).end
      const two = yield* lives(Schema.String.pipe(Schema.minLength(20)))
      yield* VirtualClock.pass("5 minutes")
      assert.strictEqual(yield* two.state, "Waiting")
      yield* two.end
      const three = yield* lives(Schema.String)
      yield* VirtualClock.pass("5 minutes")
      assert.deepStrictEqual([yield* three.state, ...all], [...done])
    })
  }
})

describe("a signal", () => {
  test("of two bodies to each other lets each run once more", function* () {
    let runs = 0
    const body = Effect.gen(function* () {
      // Without an end, the test would not end either.
      if (++runs > 100) return
      yield* approve(key)
      yield* approve("b")
      yield* approved
      yield* sleep("long", 20)
    })
    const { operator, state } = yield* run(body)
    yield* operator.start({ key: "b" })
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual(yield* state, "Waiting")
    assert.isAtMost(runs, 6)
  })

  test("of a body that is cut before it is stored arrives", function* () {
    const store = yield* memoryStore.make
    yield* (yield* life({ ...store, signal: () => Effect.never }, approve("b"))).end
    yield* life(store, approve("b"))
    assert.lengthOf(yield* store.steps(yield* Shop.executionId({ key: "b" })), 1)
  })

  test("of a fiber that outlives its body arrives", function* () {
    let runs = 0
    const later = Effect.forkDaemon(Effect.delay(approve("b"), "15 seconds"))
    const body = Effect.suspend(() => (runs++ === 0 ? Effect.asVoid(later) : approved))
    const { operator } = yield* run(body)
    yield* operator.start({ key: "b" })
    yield* VirtualClock.pass("20 seconds")
    assert.strictEqual((yield* operator.status("b")).state, "Succeeded")
  })
})

describe("an activity", () => {
  test("whose result JSON does not keep runs once", function* () {
    const { done, note } = notes()
    const execute = Effect.as(note("pay"), NaN)
    const pay = Activity.make({ name: "pay", success: Schema.Number, execute })
    const { operator, state } = yield* run(Effect.asVoid(pay), { workflow: Patient })
    yield* operator.resume(key)
    yield* VirtualClock.pass("5 seconds")
    assert.deepStrictEqual([yield* state, ...done], ["Waiting", "pay"])
  })

  test("that a body repeats runs once", function* () {
    const { done, step } = notes()
    const { state } = yield* run(Effect.zipRight(step("pay"), step("pay")))
    assert.deepStrictEqual([yield* state, ...done], ["Succeeded", "pay"])
  })

  test("of a fiber that outlives its body ends that fiber", function* () {
    let ended = 0
    const { step } = notes()
    const late = Effect.ensuring(
      step("late", 10),
      Effect.sync(() => ended++)
    )
    const { state } = yield* run(Effect.asVoid(Effect.forkDaemon(late)))
    assert.strictEqual(yield* state, "Succeeded")
    yield* VirtualClock.pass("1 minute")
    assert.strictEqual(ended, 1)
  })
})

for (const discard of [true, false]) {
  test(`a body starts no execution with two payloads, discard ${discard}`, function* () {
    const start = (at: number) => Dated.execute({ key: "child", at }, { discard })
    const body = Effect.zipRight(start(1), start(2))
    const { operator } = yield* run(Effect.asVoid(body), { childBody: Effect.void })
    const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
    assert.include(Cause.pretty(cause), "whose payload differs in at. Nothing was sent.")
  })

  test(`no two bodies start an execution with two payloads, discard ${discard}`, function* () {
    let at = 0
    const start = Effect.suspend(() => Dated.execute({ key: "child", at: ++at }, { discard }))
    const { operator } = yield* run(Effect.asVoid(start), { childBody: Effect.void })
    yield* operator.await(key)
    yield* operator.start({ key: "b" })
    yield* VirtualClock.pass("5 seconds")
    const cause = yield* Effect.flip(Effect.sandbox(operator.await("b")))
    assert.include(Cause.pretty(cause), "whose payload differs in at. Nothing was sent.")
  })

  test(`a payload with the time is that of the first start, discard ${discard}`, function* () {
    const { done, step } = notes()
    const body = Effect.gen(function* () {
      yield* step("pay")
      const at = yield* Clock.currentTimeMillis
      yield* Dated.execute({ key: "child", at }, { discard })
      yield* sleep("long", 20)
    })
    const { state } = yield* run(body)
    yield* VirtualClock.pass("40 minutes")
    assert.deepStrictEqual([yield* state, ...done], ["Succeeded", "pay"])
  })
}

for (const name of [
  "begin/Shop.pay/0",
  "child/0123456789abcdef0123456789abcdef",
  "cancelled/long",
  "deferred/approval",
  "step/pay"
]) {
  test(`an activity named as a step of the engine, ${name}, does not run`, function* () {
    const { done, step } = notes()
    const { operator, state } = yield* run(step(name))
    assert.strictEqual(yield* state, "Died")
    const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
    assert.include(Cause.pretty(cause), "Give it another name.")
    assert.deepStrictEqual(done, [])
  })
}
