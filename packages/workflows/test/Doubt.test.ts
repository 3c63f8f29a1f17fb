/** The outcome of an execution after a defect, an interrupt, a purge, or beside others that it awaits. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as SettableClock from "@manilla/test-support/SettableClock"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Body from "@manilla/workflow-engine/Body"
import * as Names from "@manilla/workflow-engine/Names"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Durable from "@manilla/workflows/Durable"
import * as Policy from "@manilla/workflows/Policy"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import * as begun from "../../workflow-engine/src/internal/begun.js"
import * as memoryStore from "../../workflow-engine/src/internal/memoryStore.js"
import * as transitions from "../../workflow-engine/src/internal/transitions.js"
import * as engines from "../../workflow-engine/test/utils/engines.js"
import * as world from "./utils/world.js"

const test = VirtualClock.tests(Layer.empty)

class Failed extends Schema.TaggedError<Failed>()("Failed", {}) {}
const Failure = Schema.Union(Failed, Durable.WriteError)

const named = (name: string) =>
  Workflow.make({
    name,
    payload: { key: IdempotencyKey.IdempotencyKey },
    success: Schema.String,
    error: Failure,
    idempotencyKey: ({ key }) => key
  })
const Shop = named("Shop/Test/1")
const ChildA = named("Shop/ChildA/1")

const key = IdempotencyKey.make("order-42")

type Send = (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<string, Errors.KeyedWriteError>
const operation = "Shop.pay"
const pay = (send: Send, sentMillis?: number) =>
  Durable.write({ operation, key, success: Schema.String, idOf: (id) => id, send, sentMillis })
const carryOn = { initial: "1 second", factor: 2, deadline: "10 seconds" } as const

const started = Effect.gen(function* () {
  const operator = yield* Operator.of(Shop)
  yield* operator.start({ key })
  return operator
})

const undone: Array<string> = []
const undoable = Durable.compensate(Durable.sleep("reserve", "1 milli"), () =>
  Effect.sync(() => void undone.push("reserve"))
)

/** The workflows of a test, in memory. */
const on = <A, E, R>(workflows: Layer.Layer<A, E, R>) =>
  Effect.provide(Layer.provideMerge(workflows, Memory.layerMemory))

/** Defines tests over workflows in memory. */
const inMemory = <A>(
  workflows: Layer.Layer<A, unknown, Layer.Layer.Success<typeof Memory.layerMemory>>
) => VirtualClock.tests(Layer.provideMerge(workflows, Memory.layerMemory))

/** The payment is made; the code that reads the answer has a bug. */
const dying = pay(() => Effect.die("a bug"))

const unfit = Durable.write({
  operation,
  key,
  success: Schema.String.pipe(Schema.maxLength(3)),
  idOf: (id) => id,
  send: () => Effect.succeed("pay-1")
})

const nameless = Durable.write({
  operation,
  key,
  success: Schema.String,
  idOf: () => {
    throw new Error("a bug")
  },
  send: () => Effect.succeed("pay-1")
})

for (const [how, write, expected] of [
  ["that dies after its request", dying, { outcome: "unknown", state: "Died" }],
  ["whose result has no id because of a bug", nameless, { outcome: "unknown", state: "Died" }],
  ["whose result does not fit its schema", unfit, { outcome: "applied", state: "Failed" }]
] as const) {
  inMemory(Shop.toLayer(() => write))(`a write ${how} is ${expected.outcome}`, function* () {
    const operator = yield* started
    yield* VirtualClock.pass("10 seconds")
    const { outcome, state } = yield* operator.status(key)
    assert.deepStrictEqual({ outcome, state }, expected)
  })
}

const lost = (key: IdempotencyKey.IdempotencyKey) =>
  new Errors.OutcomeUnknown({
    operation,
    message: "no response",
    key,
    cause: new Errors.TransportError({ operation, message: "none", sent: true })
  })

const undoing = Durable.compensate(Effect.void, () => Effect.sync(() => void undone.push("it")))
for (const [which, first] of [
  ["nothing to undo", Effect.void],
  ["a compensation", undoing]
] as const) {
  inMemory(Shop.toLayer(() => Durable.compensating(Effect.zipRight(first, new Failed()))))(
    `a body without blocks, but with ${which}, has no outcome`,
    function* () {
      const operator = yield* started
      yield* VirtualClock.pass("1 second")
      const { outcome, state } = yield* operator.status(key)
      assert.deepStrictEqual({ outcome, state }, { outcome: undefined, state: "Failed" })
    }
  )
}

for (const [where, within] of [
  [
    "a step",
    (one: typeof undoing) =>
      Durable.step({ name: "s", success: Schema.Void, error: Schema.Never, execute: one })
  ],
  [
    "a race",
    (one: typeof undoing) =>
      DurableDeferred.into(one, DurableDeferred.make("race", { success: Schema.Void }))
  ]
] as const) {
  inMemory(
    Shop.toLayer(() => Durable.compensating(Effect.zipRight(within(undoing), new Failed())))
  )(`a compensation in ${where} is refused`, function* () {
    const operator = yield* started
    yield* VirtualClock.pass("1 second")
    assert.strictEqual((yield* operator.status(key)).state, "Died")
  })
}

test("a write with a time that is no number is too old to be sent", function* () {
  let calls = 0
  const write = pay(() => Effect.sync(() => `pay-${++calls}`), NaN)
  yield* Effect.gen(function* () {
    const operator = yield* started
    yield* VirtualClock.pass("1 second")
    const { outcome } = yield* operator.status(key)
    assert.deepStrictEqual({ calls, outcome }, { calls: 0, outcome: "unknown" })
  }).pipe(on(Shop.toLayer(() => write)))
})

/** Its outcome is unknown, and it ends as if all was well. */
const hiding = Effect.orElseSucceed(pay(lost), () => "look at it")

for (const [how, body] of [
  ["died in its write", dying],
  ["hides its unknown outcome", hiding]
] as const) {
  inMemory(
    Layer.merge(
      Shop.toLayer(() => {
        const awaited = Effect.catchAllDefect(ChildA.execute({ key }), () => new Failed())
        return Durable.compensating(
          Effect.zipRight(undoable, Effect.zipRight(awaited, new Failed()))
        )
      }),
      Layer.provide(
        ChildA.toLayer(() => body),
        Policy.layer({ carryOn })
      )
    )
  )(`nothing is undone after an awaited execution that ${how}`, function* () {
    undone.length = 0
    const operator = yield* started
    yield* VirtualClock.pass("2 minutes")
    const { outcome, state } = yield* operator.status(key)
    assert.deepStrictEqual({ outcome, state }, { outcome: "unknown", state: "Failed" })
    assert.deepStrictEqual(undone, [])
  })
}

inMemory(
  Layer.merge(
    Shop.toLayer(() =>
      Effect.tap(ChildA.execute({ key }), () => Durable.sleep("an hour", "1 hour"))
    ),
    ChildA.toLayer(() => pay(() => Effect.succeed("pay-1")))
  )
)("a body goes on although an execution that it has awaited was purged", function* () {
  const operator = yield* started
  yield* VirtualClock.pass("1 minute")
  const child = yield* Operator.of(ChildA)
  yield* child.purge(key)
  yield* VirtualClock.pass("2 hours")
  const { outcome, state } = yield* operator.status(key)
  assert.deepStrictEqual({ outcome, state }, { outcome: "applied", state: "Succeeded" })
})

/** The status of an execution whose body comes to other blocks in its second life than in its first one. */
const inTwoLives = (
  first: Effect.Effect<string, typeof Failure.Type, Durable.InExecution>,
  second: Effect.Effect<string, typeof Failure.Type, Durable.InExecution>
) =>
  Effect.gen(function* () {
    const store = yield* memoryStore.make
    let isDead = false
    const take: typeof store.take = (...args) => (isDead ? Effect.never : store.take(...args))
    // Its scope would never close.
    const context = yield* Layer.buildWithScope(
      Layer.provideMerge(
        Shop.toLayer(() => first),
        engines.on({ ...store, take })
      ),
      yield* Scope.make()
    )
    yield* Effect.provide(started, context)
    yield* VirtualClock.pass("3 seconds")
    isDead = true
    const later = yield* Layer.build(
      Layer.provideMerge(
        Shop.toLayer(() => second),
        engines.on(store)
      )
    )
    yield* store.runners.leave(1)
    yield* VirtualClock.pass("2 hours")
    const operator = yield* Effect.provide(Operator.of(Shop), later)
    return yield* operator.status(key)
  })

test("an execution keeps the id of a write to which it does not come again", function* () {
  const paid = pay(() => Effect.succeed("pay-1"))
  const { resource, state } = yield* inTwoLives(
    Effect.zipLeft(paid, Durable.sleep("an hour", "1 hour")),
    new Failed()
  )
  assert.deepStrictEqual({ resource, state }, { resource: "pay-1", state: "Waiting" })
})

for (const [which, second, left] of [
  ["one of two blocks", Effect.zipRight(undoable, new Failed()), ["reserve"]],
  ["any block", new Failed(), []]
] as const) {
  test(`an execution that does not come again to ${which} to undo is unknown`, function* () {
    undone.length = 0
    const slow = Durable.compensate(Durable.sleep("pay", "1 milli"), () =>
      Effect.orDie(Durable.sleep("refund", "1 hour"))
    )
    const { outcome, state } = yield* inTwoLives(
      Durable.compensating(Effect.zipRight(Effect.zipRight(undoable, slow), new Failed())),
      Durable.compensating(second)
    )
    assert.deepStrictEqual({ outcome, state }, { outcome: "unknown", state: "Failed" })
    assert.deepStrictEqual(undone, [...left])
  })
}

inMemory(
  Shop.toLayer(() =>
    Activity.make({ name: "child/notify", execute: Effect.void }).pipe(
      Effect.zipRight(Durable.sleep("a minute", "1 minute")),
      Effect.as("done")
    )
  )
)("an activity with the name of an awaited execution is none", function* () {
  const operator = yield* started
  yield* VirtualClock.pass("2 minutes")
  assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
})

describe("a compensation that awaits an execution", () => {
  let refunds = 0
  const refunding = Layer.merge(
    Shop.toLayer(() =>
      Durable.compensating(
        Effect.gen(function* () {
          yield* undoable
          yield* Durable.compensate(
            pay(() => Effect.succeed("pay-1")),
            () => Effect.asVoid(Effect.orDie(ChildA.execute({ key })))
          )
          return yield* new Failed()
        })
      )
    ),
    ChildA.toLayer(() => pay(() => Effect.succeed(`refund-${++refunds}`)))
  )
  const isRefunded = (operator: Effect.Effect.Success<typeof started>) =>
    Effect.gen(function* () {
      const { outcome, state } = yield* operator.status(key)
      assert.deepStrictEqual({ outcome, state }, { outcome: "applied", state: "Failed" })
      assert.deepStrictEqual({ refunds, undone }, { refunds: 1, undone: ["reserve"] })
    })

  inMemory(refunding)("ends, as those after it do", function* () {
    undone.length = refunds = 0
    const operator = yield* started
    yield* VirtualClock.pass("2 hours")
    yield* isRefunded(operator)
  })

  test("goes on in a later life, although the process died when it began", function* () {
    undone.length = refunds = 0
    const store = yield* memoryStore.make
    const insert: typeof store.insert = (execution) =>
      execution.workflow === ChildA.name ? Effect.never : store.insert(execution)
    // Its scope would never close.
    const first = yield* Layer.buildWithScope(
      Layer.provideMerge(refunding, engines.on({ ...store, insert })),
      yield* Scope.make()
    )
    yield* Effect.provide(started, first)
    yield* VirtualClock.pass("3 seconds")
    const second = yield* Layer.build(Layer.provideMerge(refunding, engines.on(store)))
    yield* store.runners.leave(1)
    yield* VirtualClock.pass("10 minutes")
    yield* isRefunded(yield* Effect.provide(Operator.of(Shop), second))
  })
})

inMemory(
  Layer.provide(
    Shop.toLayer(() => {
      const first = Durable.compensating(Effect.zipRight(undoable, new Failed()))
      const second = Durable.compensating(
        Effect.gen(function* () {
          yield* Durable.compensate(Effect.void, () =>
            Effect.sync(() => void undone.push("second"))
          )
          yield* hiding
          yield* Durable.sleep("an hour", "1 hour")
          return yield* new Failed()
        })
      )
      return Effect.zipRight(Effect.either(first), second)
    }),
    Policy.layer({ carryOn })
  )
)("each part of a body decides for itself whether it is undone", function* () {
  undone.length = 0
  const operator = yield* started
  yield* VirtualClock.pass("2 hours")
  const { outcome, state } = yield* operator.status(key)
  assert.deepStrictEqual({ outcome, state }, { outcome: "unknown", state: "Failed" })
  assert.include(undone, "reserve")
  assert.notInclude(undone, "second")
})

for (const [by, aheadMillis, isSentAgain] of [
  ["half a minute", 30_000, true],
  ["an hour", 3_600_000, false]
] as const) {
  test(`a request in doubt whose clock was set back by ${by}`, function* () {
    const { ahead, clock } = yield* SettableClock.make
    const startedMillis = yield* Clock.currentTimeMillis
    const sentMillis: Array<number> = []
    const body = pay((key) =>
      Effect.gen(function* () {
        sentMillis.push((yield* Clock.currentTimeMillis) - ahead.millis - startedMillis)
        yield* Effect.sleep("10 seconds")
        return yield* lost(key)
      })
    )
    const layer = Shop.toLayer(() => body).pipe(
      Layer.provide(
        Policy.layer({ carryOn: { initial: "5 seconds", factor: 1.5, deadline: "10 minutes" } })
      ),
      Layer.provideMerge(engines.on(yield* memoryStore.make))
    )
    ahead.millis = aheadMillis
    const operator = yield* Effect.flatMap(Layer.build(layer), (context) =>
      Effect.provide(started, context)
    ).pipe(Effect.withClock(clock))
    // While the first request is under way.
    yield* VirtualClock.pass("5 seconds")
    ahead.millis = 0
    yield* VirtualClock.pass("2 hours")
    const { outcome, state } = yield* operator.status(key)
    assert.deepStrictEqual({ outcome, state }, { outcome: "unknown", state: "Failed" })
    assert.strictEqual(sentMillis.length > 1, isSentAgain)
    assert.isAtMost(sentMillis.at(-1) ?? 0, 11 * 60_000)
  })
}

test("a pause that begins after the clock was set back lasts its time", function* () {
  const { ahead, clock } = yield* SettableClock.make
  ahead.millis = 3_600_000
  const endedMillis: Array<number> = []
  const slow = (name: string) =>
    Durable.step({
      name,
      success: Schema.Void,
      error: Schema.Never,
      execute: Effect.sleep("10 seconds")
    })
  const body = Effect.gen(function* () {
    yield* slow("before")
    yield* slow("meanwhile")
    yield* Durable.sleep("first", "1 minute")
    yield* Durable.sleep("second", "1 minute")
    endedMillis.push(yield* Clock.currentTimeMillis)
    return yield* pay(() => Effect.succeed("pay-1"))
  })
  const layer = Layer.provideMerge(
    Shop.toLayer(() => body),
    engines.on(yield* memoryStore.make)
  )
  yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(started, context)).pipe(
    Effect.withClock(clock)
  )
  yield* VirtualClock.pass("15 seconds")
  ahead.millis = 0
  yield* VirtualClock.pass("3 hours")
  // Late by the hour of the clock, and never early.
  assert.lengthOf(endedMillis, 1)
  assert.isAtLeast(endedMillis[0] ?? 0, 140_000)
})

test("a pause that is over stays over after the clock was set back", function* () {
  undone.length = 0
  const store = yield* memoryStore.make
  const { ahead, clock } = yield* SettableClock.make
  let calls = 0
  const body = Durable.compensating(
    Effect.gen(function* () {
      yield* undoable
      yield* Durable.sleep("a minute", "1 minute")
      yield* Durable.step({
        name: "slow",
        success: Schema.Void,
        error: Schema.Never,
        execute: Effect.sleep("10 seconds")
      })
      return yield* pay(() => (++calls === 1 ? Effect.never : Effect.succeed("pay-1")))
    })
  )
  const layer = Layer.provideMerge(
    Shop.toLayer(() => body),
    engines.on(store)
  )
  const scope = yield* Scope.make()
  yield* Effect.gen(function* () {
    const context = yield* Layer.buildWithScope(layer, scope)
    yield* Effect.provide(started, context)
  }).pipe(Effect.withClock(clock))
  yield* VirtualClock.pass("65 seconds")
  // During the step, time is corrected by a minute.
  ahead.millis = -60_000
  yield* VirtualClock.pass("30 seconds")
  assert.strictEqual(calls, 1)
  yield* Scope.close(scope, Exit.void)
  yield* store.modify(yield* Shop.executionId({ key }), transitions.interrupted)
  const operator = yield* Effect.gen(function* () {
    const context = yield* Layer.build(layer)
    return yield* Effect.provide(Operator.of(Shop), context)
  }).pipe(Effect.withClock(clock))
  yield* VirtualClock.pass("10 minutes")
  const { outcome } = yield* operator.status(key)
  assert.strictEqual(outcome, "applied")
  assert.strictEqual(calls, 2)
})

VirtualClock.tests(
  DisbursePayout.layer.pipe(
    Layer.provideMerge(Memory.layerMemory),
    Layer.provideMerge(world.services())
  )
)("a payload with a time that cannot be stored is refused", function* () {
  const operator = yield* Operator.of(DisbursePayout.workflow)
  const payload = { ...(yield* world.payout), key, sentMillis: NaN }
  const result = yield* Effect.either(operator.start(payload))
  assert.isTrue(Either.isLeft(result))
})

/** The status of an execution that was interrupted after a time, and had a minute to end. */
const interruptedAfter = (
  time: Duration.DurationInput,
  body: Effect.Effect<string, typeof Failure.Type, Durable.InExecution>
) =>
  Effect.gen(function* () {
    const operator = yield* started
    yield* VirtualClock.pass(time)
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("1 minute")
    return yield* operator.status(key)
  }).pipe(on(Shop.toLayer(() => body)))

inMemory(
  Shop.toLayer(() => {
    const refund = Durable.write({
      operation: "Shop.refund",
      key: IdempotencyKey.make("refund"),
      success: Schema.String,
      idOf: (id) => id,
      send: () => Effect.succeed("refund-1")
    })
    // The run after the pause knows of the refund from its start.
    const undo = Effect.zipRight(refund, Durable.sleep("a second", "1 second"))
    const paid = Durable.compensate(
      pay(() => Effect.succeed("pay-1")),
      () => Effect.orDie(undo)
    )
    return Durable.compensating(Effect.zipLeft(paid, Durable.sleep("an hour", "1 hour")))
  })
)("an interrupt tells of what the body has applied, not its compensations", function* () {
  const operator = yield* started
  yield* VirtualClock.pass("1 second")
  yield* operator.interrupt(key)
  yield* VirtualClock.pass("1 minute")
  const error = yield* Effect.flip(operator.await(key))
  const told = { _tag: "ExecutionCancelled", outcome: "applied", resource: "pay-1" } as const
  assert.deepInclude(error, told)
})

test("a write sends nothing after an interrupt", function* () {
  let calls = 0
  const slow = Durable.step({
    name: "slow",
    success: Schema.Void,
    error: Schema.Never,
    execute: Effect.sleep("10 seconds")
  })
  const write = pay(() => Effect.sync(() => `pay-${++calls}`))
  const body = Effect.zipRight(slow, write)
  const { outcome, state } = yield* interruptedAfter("1 second", body)
  assert.deepStrictEqual(
    { calls, outcome, state },
    { calls: 0, outcome: "notApplied", state: "Failed" }
  )
})

test("an interrupt ends the pause of a write that was refused for a while", function* () {
  const limited = new Errors.RateLimitError({ operation, status: 429, message: "too many" })
  const slow = { initial: "10 minutes", factor: 2, deadline: "1 day" } as const
  const body = Effect.provideService(
    pay(() => Effect.fail(limited)),
    Policy.Current,
    { ...Policy.defaults, carryOn: slow }
  )
  const { outcome, state } = yield* interruptedAfter("1 minute", body)
  assert.deepStrictEqual({ outcome, state }, { outcome: "notApplied", state: "Failed" })
})

test("an interrupt ends no write in doubt at a pause of no length before it", function* () {
  let calls = 0
  const send: Send = (key) => (++calls === 1 ? Effect.fail(lost(key)) : Effect.succeed("pay-1"))
  const body = Effect.zipRight(Durable.sleep("nothing", 0), pay(send))
  const { outcome, resource } = yield* interruptedAfter("500 millis", body)
  assert.deepStrictEqual({ calls, outcome, resource }, {
    calls: 2,
    outcome: "applied",
    resource: "pay-1"
  } as const)
})

test("a step that fails has a span that failed", function* () {
  const spans: Array<Tracer.AnySpan> = []
  const body = Durable.step({
    name: "fails",
    success: Schema.String,
    error: Failed,
    execute: Effect.zipRight(
      Effect.map(Effect.currentParentSpan, (span) => void spans.push(span)).pipe(Effect.orDie),
      new Failed()
    )
  })
  yield* Effect.zipRight(started, VirtualClock.pass("1 second")).pipe(on(Shop.toLayer(() => body)))
  const exits = spans.map((span) =>
    span._tag === "Span" && span.status._tag === "Ended" ? span.status.exit : undefined
  )
  assert.isTrue(exits.length === 1 && exits[0] !== undefined && Exit.isFailure(exits[0]))
})

test("an uninterruptible body of a runner that was taken for dead goes on", function* () {
  const store = yield* memoryStore.make
  let calls = 0
  const body = () =>
    Effect.uninterruptible(
      pay(() =>
        ++calls === 1
          ? Effect.delay(Effect.succeed("pay-late"), "30 seconds")
          : Effect.succeed("pay-1")
      )
    )
  // Its scope would never close.
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(
    Layer.provideMerge(Shop.toLayer(body), engines.on(store)),
    scope
  )
  const operator = yield* Effect.provide(started, context)
  yield* VirtualClock.pass("5 seconds")
  yield* store.runners.leave(1)
  yield* VirtualClock.pass("5 minutes")
  const { state } = yield* operator.status(key)
  assert.strictEqual(state, "Succeeded")
})

Test.effect("a stored end with an outcome of another version is a defect", function* () {
  const noted = (outcome: string) => {
    const value = { hasFailed: false, exit: "{}", outcome }
    const id = "0123456789abcdef0123456789abcdef"
    const results = new Map([
      [Names.make("ended", { id }), JSON.stringify({ _tag: "Success", value })],
      [Names.make("begun", { id }), ""]
    ])
    const sideEffects = Body.noSideEffects()
    return Effect.as(begun.note(results, sideEffects), sideEffects)
  }
  assert.strictEqual(Body.outcomeOf(yield* noted("applied")), "applied")
  const exit = yield* Effect.exit(noted("partly"))
  assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
})

it("an execution keeps the id of what was applied, although a later write has failed", () => {
  const sideEffects = Body.noSideEffects()
  Body.end(sideEffects, "pay", { outcome: "applied", hasFailed: false, resource: "pay-1" })
  Body.end(sideEffects, "ship", { outcome: "notApplied", hasFailed: true })
  assert.strictEqual(sideEffects.resource, "pay-1")
})
