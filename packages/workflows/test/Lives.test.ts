/** Several lives and runners of an execution, over a service that answers by a script. */
import { assert, describe } from "@effect/vitest"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import type * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as engineStore from "../../workflow-engine/src/internal/engineStore.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import * as words from "../src/internal/operate/words.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"

const test = VirtualClock.tests(Layer.empty)

class Late extends Schema.TaggedError<Late>()("Late", {}) {}
const Failure = Schema.Union(Late, Durable.WriteError)
type Failure = typeof Failure.Type

const Shop = Workflow.make({
  name: "Shop/Test/1",
  payload: { key: IdempotencyKey.IdempotencyKey, order: Schema.String },
  success: Schema.String,
  error: Failure,
  idempotencyKey: ({ key }) => key
})

type Body<R> = (order: string) => Effect.Effect<string, Failure, R>

const shop = <R>(body: Body<R>, policy?: Partial<Policy.Policy>) =>
  Layer.provide(
    Shop.toLayer(({ order }) => Durable.compensating(body(order))),
    Policy.layer(policy)
  )

const order = { key: IdempotencyKey.make("order-42"), order: "tea" }

const operation = "Shop.pay"

/** The service's answer to a call. */
type Send = (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<string, Errors.KeyedWriteError>

const pay = (send: Send) =>
  Durable.write({ operation, key: order.key, success: Schema.String, idOf: (id) => id, send })

const receipt = {
  operation: "Shop.receipt",
  key: IdempotencyKey.make("order-42:receipt"),
  success: Schema.String,
  idOf: (id: string) => id
}

const busy = new Errors.RateLimitError({ operation, status: 429, message: "busy" })

const refusal = new Errors.UnprocessableError({ operation, status: 422, message: "refused" })

const lost = new Errors.TransportError({ operation, message: "no response", sent: true })

const unknown: Send = (key) =>
  Effect.fail(new Errors.OutcomeUnknown({ operation, message: "no response", key, cause: lost }))

/** Starts an execution in memory, and returns it after some time. */
const run = (seconds: number) =>
  Effect.gen(function* () {
    const operator = yield* Operator.of(Shop)
    yield* operator.start(order)
    yield* VirtualClock.pass(Duration.seconds(seconds))
    return operator
  })

const policy = { carryOn: { initial: "10 seconds", factor: 2, deadline: "1 minute" } } as const

/** Starts an execution of this body in a process, and returns it after some time. */
const running = <R>(
  seconds: number,
  body: Body<R>,
  engine: Layer.Layer<WorkflowEngine.WorkflowEngine | Engine.Engine> = Memory.layerMemory
) =>
  Effect.flatMap(Layer.build(Layer.provideMerge(shop(body, policy), engine)), (context) =>
    Effect.provide(run(seconds), context)
  )

const undone: Array<string> = []

/** A block whose undoing is noted. */
const undoable = (name: string) =>
  Durable.compensate(Durable.sleep(name, "1 milli"), () =>
    Effect.sync(() => void undone.push(name))
  )

const step = <R = never>(name: string, execute: Effect.Effect<void, never, R>) =>
  Durable.step({ name, success: Schema.Void, error: Schema.Never, execute })

describe("compensations", () => {
  const answer = { operation, status: 201, message: "unreadable", issues: [] }
  const unreadable: Send = (key) => Effect.fail(new Errors.AppliedUnreadable({ ...answer, key }))
  const dies = pay(() => Effect.die("a bug"))
  for (const [how, write, tag] of [
    ["was applied, although it ended with an error", pay(unreadable), "AppliedUnreadable"],
    [
      "died, whose defect the body makes an error of",
      Effect.catchAllDefect(dies, () => refusal),
      "UnprocessableError"
    ]
  ] as const) {
    test(`do not run after a write that ${how}`, function* () {
      undone.length = 0
      const operator = yield* running(60, () => Effect.zipRight(undoable("debit"), write))
      assert.strictEqual((yield* Effect.flip(operator.await("order-42")))._tag, tag)
      assert.deepStrictEqual(undone, [])
    })
  }
})

const day = Durable.sleep("a day", "1 day")
const anotherDay = Effect.as(Durable.sleep("another day", "1 day"), "done")

/** The error of an execution that is interrupted. */
const cancelled = (operator: Effect.Effect.Success<ReturnType<typeof run>>, within = 60) =>
  Effect.gen(function* () {
    yield* operator.interrupt("order-42")
    yield* VirtualClock.pass(Duration.seconds(within))
    const error = yield* Effect.flip(operator.await("order-42"))
    assert.instanceOf(error, Execution.ExecutionCancelled)
    return error
  })

describe("the error of an interrupted execution", () => {
  test("says that the outcome of a write is unknown", function* () {
    // Another write was applied since: it does not hide the first.
    const applied = Durable.write({ ...receipt, send: () => Effect.succeed("receipt-1") })
    const body = Effect.zipRight(Effect.either(pay(unknown)), applied)
    const operator = yield* running(600, () =>
      body.pipe(Effect.zipRight(day), Effect.zipRight(anotherDay))
    )
    const error = yield* cancelled(operator)
    assert.strictEqual(Errors.outcome(error), "unknown")
    assert.include(error.message, "the outcome of a request is unknown")
  })

  for (const [where, last] of [
    ["a pause", day],
    ["a write", Durable.write({ ...receipt, send: () => Effect.fail(busy) })]
  ] as const) {
    test(`in ${where} does not say that a resource continues, as it may be undone`, function* () {
      undone.length = 0
      const paid = pay(() => Effect.succeed("pay-1"))
      const undo = Effect.sync(() => void undone.push("pay"))
      const operator = yield* running(5, () =>
        Durable.compensate(paid, () => undo).pipe(
          Effect.zipRight(last),
          Effect.zipRight(anotherDay)
        )
      )
      const error = yield* cancelled(operator)
      assert.strictEqual(Errors.outcome(error), "applied")
      assert.deepStrictEqual(undone, ["pay"])
      assert.include(error.message, "pay-1 was created")
      assert.notInclude(error.message, "continues")
    })
  }
})

/** A part of a body that fails, and is undone. */
const undonePart = (name: string) =>
  Effect.either(Durable.compensating(Effect.zipRight(undoable(name), new Late())))

test("an interrupt is heard after a part was undone, but by no compensation", function* () {
  undone.length = 0
  const undo = undonePart("part").pipe(
    Effect.zipRight(Effect.orDie(Durable.sleep("all", "1 milli"))),
    Effect.tap(() => void undone.push("all"))
  )
  const operator = yield* running(60, () =>
    Durable.compensate(Effect.void, () => undo).pipe(
      Effect.zipRight(undonePart("reserve")),
      Effect.zipRight(day),
      Effect.zipRight(pay(() => Effect.succeed("pay-1")))
    )
  )
  const error = yield* cancelled(operator, 2 * 86_400)
  assert.strictEqual(Errors.outcome(error), "notApplied")
  assert.includeMembers(undone, ["reserve", "part", "all"])
})

/** A runner that hears nothing of the others. */
const runner = <R>(store: engineStore.EngineStore, body: Body<R>) =>
  Layer.build(shop(body, policy).pipe(Layer.provideMerge(engines.on(store, "1 day"))))

/** The service answers the calls in the order of this list, whenever the test lets it. */
const service = (answers: ReadonlyArray<Effect.Effect<string, Errors.KeyedWriteError>>) =>
  Effect.gen(function* () {
    const gates = yield* Effect.forEach(answers, () => Effect.makeLatch())
    let calls = 0
    const send: Send = () => {
      const call = calls++
      const answer = answers[call] ?? Effect.dieMessage("too many calls")
      return Effect.zipRight(gates[call]?.await ?? Effect.void, answer)
    }
    return { send, calls: () => calls, answer: (call: number) => gates[call]?.open ?? Effect.void }
  })

describe("two runners, of which the first was taken for dead while it was sending", () => {
  const lives = (
    answers: ReadonlyArray<Effect.Effect<string, Errors.KeyedWriteError>>,
    after: (id: string) => Effect.Effect<void> = () => Effect.void
  ) =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      const called = yield* service(answers)
      const body = () => Effect.tap(pay(called.send), (id) => step("receipt", after(id)))
      // It takes nothing more.
      const frozen = { ...store, take: () => Effect.succeed({ taken: [], nextMillis: Infinity }) }
      const first = yield* Effect.provide(run(5), yield* runner(frozen, body))
      const takeOver = store.runners.leave(1)
      const second = Effect.flatMap(runner(store, body), (context) =>
        Effect.provide(run(5), context)
      )
      return { ...called, first, second: Effect.zipRight(takeOver, second), store }
    })

  test("do not take a refusal of either for the outcome", function* () {
    const answers = [Effect.fail(refusal), Effect.fail(refusal), Effect.succeed("pay-1")]
    const { answer, calls, first, second } = yield* lives(answers)
    const operator = yield* second
    assert.strictEqual(calls(), 2)
    yield* answer(0)
    yield* VirtualClock.pass("5 seconds")
    assert.isTrue(Option.isNone(yield* first.poll("order-42")))
    yield* answer(1)
    yield* answer(2)
    yield* VirtualClock.pass("60 seconds")
    assert.strictEqual(yield* operator.await("order-42"), "pay-1")
    assert.strictEqual(calls(), 3)
  })

  const twice = [Effect.succeed("pay-late"), Effect.succeed("pay-1")]

  test("keep the end of the second, whatever the first hears later", function* () {
    const { answer, second, store } = yield* lives(twice)
    const operator = yield* second
    yield* answer(1)
    yield* VirtualClock.pass("5 seconds")
    yield* answer(0)
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual(yield* operator.await("order-42"), "pay-1")
    const steps = yield* store.steps(yield* Shop.executionId(order))
    assert.notInclude(JSON.stringify(steps), "pay-late")
  })

  test("await the end of the second, also where the first ran", function* () {
    const { answer, first, second } = yield* lives(twice)
    const awaited = yield* Effect.fork(first.await("order-42"))
    yield* second
    yield* answer(1)
    yield* VirtualClock.pass("5 seconds")
    // The first learns with its answer that it is not the owner.
    yield* answer(0)
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual(yield* Fiber.join(awaited), "pay-1")
  })

  test("run what follows the request once", function* () {
    const receipts: Array<string> = []
    const paid = Effect.succeed("pay-1")
    const { answer, second } = yield* lives([paid, paid], (id) =>
      Effect.sync(() => void receipts.push(id))
    )
    const operator = yield* second
    yield* Effect.forEach([0, 1], answer)
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual(yield* operator.await("order-42"), "pay-1")
    assert.deepStrictEqual(receipts, ["pay-1"])
  })

  test("do not take a refusal for the outcome after a rate limit", function* () {
    const limited = [Effect.never, Effect.fail(busy), Effect.fail(refusal)]
    const { answer, second } = yield* lives([...limited, Effect.succeed("pay-1")])
    const operator = yield* second
    yield* Effect.forEach([1, 2, 3], answer)
    yield* VirtualClock.pass("60 seconds")
    assert.strictEqual(yield* operator.await("order-42"), "pay-1")
  })

  test("do not send a request that is too old", function* () {
    const { calls, second } = yield* lives([Effect.never])
    yield* VirtualClock.pass("2 minutes")
    const operator = yield* second
    const error = yield* Effect.flip(operator.await("order-42"))
    assert.strictEqual(error._tag, "OutcomeUnknown")
    assert.strictEqual(calls(), 1)
  })

  test("do not let a cancellation say that nothing was applied", function* () {
    const { answer, first, second } = yield* lives([Effect.never, Effect.succeed("pay-1")])
    yield* first.interrupt("order-42")
    const operator = yield* second
    yield* answer(1)
    assert.strictEqual(Errors.outcome(yield* cancelled(operator, 5)), "applied")
  })
})

describe("a body of the next life that", () => {
  const [paid, died, waits] = [
    { state: "Succeeded" },
    { state: "Died", outcome: "applied" },
    { state: "Waiting", outcome: undefined }
  ] as const
  const keyed = (operation: string, key: string) => (send: Send) =>
    Durable.write({ ...receipt, operation, key: IdempotencyKey.make(key), send })
  const before = keyed(operation, "first")
  for (const [does, after, sent, end] of [
    ["has the same key, sends it", before, ["first", "first"], paid],
    ["has another key, sends the first", keyed(operation, "second"), ["first", "first"], paid],
    ["has another name for its write, sends nothing", keyed("Pay", "first"), ["first"], waits],
    ["has another write in its place, sends nothing", keyed("Tip", "tip"), ["first"], waits],
    [
      "has another write before it, sends nothing",
      (send) => Effect.zipRight(keyed("Tip", "tip")(send), before(send)),
      ["first"],
      waits
    ],
    [
      "has another write after it, sends both",
      (send) => Effect.zipRight(before(send), keyed("Tip", "tip")(send)),
      ["first", "first", "tip"],
      paid
    ],
    [
      "gives its key to another write, sends that one nothing",
      (send) => Effect.zipRight(keyed(operation, "second")(send), keyed("Tip", "first")(send)),
      ["first", "first"],
      died
    ],
    ["has no write, does not end", () => Effect.succeed("done"), ["first"], waits],
    ["fails before it, does not end", () => Effect.fail(new Late()), ["first"], waits],
    ["dies before it, does not end", () => Effect.dieMessage("a bug"), ["first"], waits],
    [
      "has another step before it, sends it",
      (send) => Effect.zipRight(step("ship", Effect.void), before(send)),
      ["first", "first"],
      paid
    ]
  ] satisfies ReadonlyArray<
    readonly [
      string,
      (send: Send) => ReturnType<Body<Durable.InExecution>>,
      ReadonlyArray<string>,
      object
    ]
  >) {
    test(does, function* () {
      const keys: Array<string> = []
      const send: Send = (key) =>
        keys.push(key) === 1 ? Effect.never : Effect.succeed(`pay-${key}`)
      const store = yield* memoryStore.make
      const engine = engines.on(store)
      yield* Effect.scoped(running(5, () => before(send), engine))
      const operator = yield* running(20, () => after(send), engine)
      assert.deepStrictEqual(keys, [...sent])
      assert.deepInclude(yield* operator.status(order.key), end)
      if (end !== waits) return
      yield* operator.interrupt(order.key)
      yield* VirtualClock.pass("25 seconds")
      assert.deepStrictEqual(keys, [...sent])
      const [found] = yield* store.list({ states: ["Waiting"] }, undefined, 1)
      const says = 'has begun the write "Shop.pay", and the body of this process comes to'
      assert.include(found && words.failureOf(found), says)
    })
  }

  test("fails before its write does not decide what the next one undoes", function* () {
    undone.length = 0
    const store = yield* memoryStore.make
    const undo = Effect.sync(() => void undone.push("pay"))
    const paid = (answer: ReturnType<Send>) =>
      Durable.compensate(
        pay(() => answer),
        () => undo
      )
    const late = Effect.fail(new Late())
    const bodies = [paid(Effect.never), late, Effect.zipRight(paid(Effect.succeed("pay-1")), late)]
    for (const body of bodies) {
      yield* Effect.scoped(running(20, () => body, engines.on(store)))
    }
    assert.deepStrictEqual(undone, ["pay"])
  })

  test("has a new key, sends the first again after an unknown outcome", function* () {
    const keys: Array<string> = []
    let runs = 0
    const send: Send = (key) => (keys.push(key) < 3 ? unknown(key) : Effect.succeed("pay-1"))
    const body = () => keyed(operation, `random-${++runs}`)(send)
    const context = yield* runner(yield* memoryStore.make, body)
    yield* Effect.provide(run(60), context)
    assert.deepStrictEqual([keys, runs > 1], [Array.from(keys, () => "random-1"), true])
  })
})

describe("a runner", () => {
  test("that was taken for dead continues as a new one", function* () {
    const store = yield* memoryStore.make
    let calls = 0
    const body = () => pay(() => (++calls === 1 ? Effect.never : Effect.succeed("pay-1")))
    const operator = yield* running(5, body, engines.on(store))
    yield* store.runners.leave(1)
    const { taken } = yield* store.take(1, [Shop.name], Number.MAX_SAFE_INTEGER, 1)
    assert.lengthOf(taken, 0, "it takes nothing under its old number")
    yield* VirtualClock.pass("10 seconds")
    // It also takes what begins later.
    yield* operator.start({ ...order, key: IdempotencyKey.make("order-43") })
    yield* VirtualClock.pass("10 seconds")
    for (const key of ["order-42", "order-43"]) {
      assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
    }
    assert.strictEqual(calls, 3)
  })

  test("runs what it owns although it never heard that it does", function* () {
    const store = yield* memoryStore.make
    const lost: engineStore.EngineStore = {
      ...store,
      insert: (execution) =>
        Effect.zipRight(
          store.insert(execution),
          new Execution.StorageError({ operation: "store an execution", cause: "no answer" })
        )
    }
    const context = yield* Layer.build(
      shop(() => Effect.succeed("done")).pipe(Layer.provideMerge(engines.on(lost)))
    )
    const operator = yield* Effect.provide(Operator.of(Shop), context)
    const error = yield* Effect.flip(operator.start(order))
    assert.strictEqual(error._tag, "StorageError")
    yield* VirtualClock.pass("20 seconds")
    assert.strictEqual(yield* operator.await("order-42"), "done")
  })

  test("that ends frees what it runs", function* () {
    const store = yield* memoryStore.make
    const died = pay(() => Effect.never)
    yield* Effect.scoped(running(5, () => died, engines.on(store)))
    let calls = 0
    const send = () => (++calls === 1 ? Effect.fail(refusal) : Effect.succeed("pay-1"))
    const operator = yield* Effect.provide(run(60), yield* runner(store, () => pay(send)))
    assert.strictEqual(yield* operator.await("order-42"), "pay-1")
  })
})

test("await hears at once of an execution that ends in this process", function* () {
  const body = () => pay(() => Effect.delay(Effect.succeed("pay-1"), "300 millis"))
  const operator = yield* running(0, body)
  const awaited = yield* Effect.fork(operator.await(order.key))
  // A second look would be at least half a second after the first.
  yield* VirtualClock.pass("300 millis")
  assert.deepStrictEqual(Option.getOrUndefined(yield* Fiber.poll(awaited)), Exit.succeed("pay-1"))
})

class Account extends Context.Tag("Account")<Account, string>() {}

test("a body uses the services that were given to its layer", function* () {
  const accounts: Array<string> = []
  const note = (block: string) =>
    Effect.map(Account, (account) => void accounts.push(`${block} of ${account}`))
  const noted = (block: string) => step(block, note(block))
  const body = () =>
    Effect.gen(function* () {
      yield* note("body")
      yield* Durable.compensate(noted("step"), () => Effect.orDie(noted("compensation")))
      return yield* pay(() => Effect.fail(refusal))
    })
  const context = yield* Effect.provideService(
    runner(yield* memoryStore.make, body),
    Account,
    "mine"
  )
  const begun = Effect.provideService(run(10), Account, "the caller's")
  const operator = yield* Effect.provide(begun, context)
  const error = yield* Effect.flip(operator.await("order-42"))
  assert.strictEqual(error._tag, "UnprocessableError")
  const used = [...new Set(accounts)]
  assert.deepStrictEqual(used, ["body of mine", "step of mine", "compensation of mine"])
})

test("a write ends with the refusal that passes, after the deadline of its policy", function* () {
  let calls = 0
  const send = Effect.zipRight(
    Effect.sync(() => calls++),
    Effect.fail(busy)
  )
  const operator = yield* running(600, () => pay(() => send))
  const error = yield* Effect.flip(operator.await("order-42"))
  assert.strictEqual(error._tag, "RateLimitError")
  assert.isAtMost(calls, 6)
})

test("a write that was interrupted takes no refusal for its outcome, and pauses", function* () {
  const answers = [Effect.interrupt, Effect.fail(refusal), Effect.succeed("pay-1")]
  const send = () => answers.shift() ?? Effect.dieMessage("too many calls")
  const context = yield* runner(yield* memoryStore.make, () => pay(send))
  const operator = yield* Effect.provide(run(1), context)
  yield* operator.interrupt("order-42")
  yield* VirtualClock.pass("3 seconds")
  assert.lengthOf(answers, 1)
  yield* VirtualClock.pass("60 seconds")
  assert.strictEqual(yield* operator.await("order-42"), "pay-1")
})

const known = { operation, message: "applied", key: order.key }
for (const error of [
  new Errors.AppliedUnreadable({ ...known, status: 201, issues: [] }),
  new Errors.KeyReused({ ...known, differs: [], attempts: 2 })
]) {
  test(`a write ends with ${error._tag}, also after an unknown outcome`, function* () {
    const answers = [unknown(order.key), Effect.fail(error)]
    const send = () => answers.shift() ?? Effect.dieMessage("too many calls")
    const context = yield* runner(yield* memoryStore.make, () => pay(send))
    const operator = yield* Effect.provide(run(60), context)
    assert.deepStrictEqual(yield* Effect.flip(operator.await("order-42")), error)
  })
}

describe("a policy with a shorter deadline in the next life", () => {
  const initial = "30 seconds"
  const long = { initial, factor: 1.5, deadline: "1 hour" } as const
  const short = { initial, factor: 1.5, deadline: "1 milli" } as const

  /** A life until the execution is in its first pause, and the next one until its end. */
  const lives = (body: Body<Durable.InExecution | Durable.Compensations>) =>
    Effect.gen(function* () {
      const store = yield* memoryStore.make
      const life = (deadlines: typeof long | typeof short, seconds: number) =>
        Effect.provide(
          run(seconds),
          Layer.provideMerge(shop(body, { carryOn: deadlines, wait: deadlines }), engines.on(store))
        )
      yield* life(long, 45)
      return yield* life(short, 600)
    })

  test("does not hide an unknown outcome behind an earlier answer", function* () {
    undone.length = 0
    let calls = 0
    const send: Send = (key) => (++calls === 1 ? Effect.fail(busy) : unknown(key))
    const operator = yield* lives(() => Effect.zipRight(undoable("reserve"), pay(send)))
    assert.strictEqual((yield* Effect.flip(operator.await("order-42")))._tag, "OutcomeUnknown")
    assert.deepStrictEqual(undone, [])
  })

  test("does not end a wait without another look", function* () {
    let looks = 0
    const operator = yield* lives(() =>
      Durable.pollUntil({
        name: "delivered",
        success: Schema.String,
        failure: Schema.Never,
        look: () => Effect.sync(() => (++looks < 3 ? Option.none() : Option.some("at the door"))),
        expired: () => new Late()
      })
    )
    assert.strictEqual(yield* operator.await("order-42"), "at the door")
  })
})
