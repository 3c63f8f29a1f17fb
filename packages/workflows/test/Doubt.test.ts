/** The outcome of an execution after a defect, an interrupt, a purge, or beside others that it awaits. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as SettableClock from "@manilla/test-support/SettableClock"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Body from "@manilla/workflow-engine/Body"
import type * as Engine from "@manilla/workflow-engine/Engine"
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

type Body = Effect.Effect<string, typeof Failure.Type, Durable.InExecution>
type Operated = Effect.Effect.Success<typeof started>
type Workflows = Layer.Layer<never, Policy.InvalidPolicy, WorkflowEngine.WorkflowEngine>

/** A process with these workflows, which has started the execution. */
const starting = (
  workflows: Workflows,
  engine: Layer.Layer<WorkflowEngine.WorkflowEngine | Engine.Engine> = Memory.layerMemory
) =>
  Effect.flatMap(Layer.build(Layer.provideMerge(workflows, engine)), (context) =>
    Effect.provide(started, context)
  )

const shop = (body: Body): Workflows => Shop.toLayer(() => body)

/** Starts an execution of this body, and lets time pass. */
const running = (time: Duration.DurationInput, body: Body) =>
  Effect.zipLeft(starting(shop(body)), VirtualClock.pass(time))

type Status = Partial<Effect.Effect.Success<ReturnType<Operated["status"]>>>

const isAt = (operator: Operated, expected: Status) =>
  Effect.map(operator.status(key), (status) => assert.deepInclude(status, expected))

const undone: Array<string> = []
const noted = (name: string) => Effect.sync(() => void undone.push(name))
const undoable = Durable.compensate(Durable.sleep("reserve", "1 milli"), () => noted("reserve"))

const step = <R = never>(name: string, execute: Effect.Effect<void, never, R>) =>
  Durable.step({ name, success: Schema.Void, error: Schema.Never, execute })
const slow = (name: string) => step(name, Effect.sleep("10 seconds"))
const anHour = Durable.sleep("an hour", "1 hour")
const paid = pay(() => Effect.succeed("pay-1"))

/** The payment is made; the code that reads the answer has a bug. */
const dying = pay(() => Effect.die("a bug"))

const write = { operation, key, success: Schema.String, send: () => Effect.succeed("pay-1") }

const unfit = Durable.write({
  ...write,
  success: Schema.String.pipe(Schema.maxLength(3)),
  idOf: (id) => id
})

const nameless = Durable.write({
  ...write,
  idOf: () => {
    throw new Error("a bug")
  }
})

for (const [how, body, expected] of [
  ["that dies after its request", dying, { outcome: "unknown", state: "Died" }],
  ["whose result has no id because of a bug", nameless, { outcome: "unknown", state: "Died" }],
  ["whose result does not fit its schema", unfit, { outcome: "applied", state: "Failed" }]
] as const) {
  test(`a write ${how} is ${expected.outcome}`, function* () {
    yield* isAt(yield* running("10 seconds", body), expected)
  })
}

const lost = (key: IdempotencyKey.IdempotencyKey) =>
  new Errors.OutcomeUnknown({
    operation,
    message: "no response",
    key,
    cause: new Errors.TransportError({ operation, message: "none", sent: true })
  })

const undoing = Durable.compensate(Effect.void, () => noted("it"))
for (const [which, first] of [
  ["nothing to undo", Effect.void],
  ["a compensation", undoing]
] as const) {
  test(`a body without blocks, but with ${which}, has no outcome`, function* () {
    const body = Durable.compensating(Effect.zipRight(first, new Failed()))
    yield* isAt(yield* running("1 second", body), { outcome: undefined, state: "Failed" })
  })
}

const race = DurableDeferred.make("race", { success: Schema.Void })
for (const [where, within] of [
  ["a step", step("s", undoing)],
  ["a race", DurableDeferred.into(undoing, race)]
] as const) {
  test(`a compensation in ${where} is refused`, function* () {
    const body = Durable.compensating(Effect.zipRight(within, new Failed()))
    yield* isAt(yield* running("1 second", body), { state: "Died" })
  })
}

test("a write with a time that is no number is too old to be sent", function* () {
  let calls = 0
  const write = pay(() => Effect.sync(() => `pay-${++calls}`), NaN)
  yield* isAt(yield* running("1 second", write), { outcome: "unknown" })
  assert.strictEqual(calls, 0)
})

/** Its outcome is unknown, and it ends as if all was well. */
const hiding = Effect.orElseSucceed(pay(lost), () => "look at it")

/** A workflow that awaits another one. */
const awaiting = (body: Body, other: Body) =>
  Layer.merge(
    shop(body),
    ChildA.toLayer(() => other)
  )

for (const [how, body] of [
  ["died in its write", dying],
  ["hides its unknown outcome", hiding]
] as const) {
  test(`nothing is undone after an awaited execution that ${how}`, function* () {
    undone.length = 0
    const awaited = Effect.catchAllDefect(ChildA.execute({ key }), () => new Failed())
    const steps = undoable.pipe(Effect.zipRight(awaited), Effect.zipRight(new Failed()))
    const workflows = awaiting(Durable.compensating(steps), body)
    const operator = yield* starting(Layer.provide(workflows, Policy.layer({ carryOn })))
    yield* VirtualClock.pass("2 minutes")
    yield* isAt(operator, { outcome: "unknown", state: "Failed" })
    assert.deepStrictEqual(undone, [])
  })
}

test("a body goes on although an execution that it has awaited was purged", function* () {
  const workflows = awaiting(Effect.zipLeft(ChildA.execute({ key }), anHour), paid)
  const context = yield* Layer.build(Layer.provideMerge(workflows, Memory.layerMemory))
  const operator = yield* Effect.provide(started, context)
  yield* VirtualClock.pass("1 minute")
  const child = yield* Effect.provide(Operator.of(ChildA), context)
  yield* child.purge(key)
  yield* VirtualClock.pass("2 hours")
  yield* isAt(operator, { outcome: "applied", state: "Succeeded" })
})

/** The status of an execution whose body comes to other blocks in its second life than in its first one. */
const inTwoLives = (first: Body, second: Body) =>
  Effect.gen(function* () {
    const store = yield* memoryStore.make
    let isDead = false
    const take: typeof store.take = (...args) => (isDead ? Effect.never : store.take(...args))
    const dying = starting(shop(first), engines.on({ ...store, take }))
    // Its scope would never close.
    yield* Scope.extend(dying, yield* Scope.make())
    yield* VirtualClock.pass("3 seconds")
    isDead = true
    const later = yield* Layer.build(Layer.provideMerge(shop(second), engines.on(store)))
    yield* store.runners.leave(1)
    yield* VirtualClock.pass("2 hours")
    return yield* Effect.provide(Operator.of(Shop), later)
  })

test("an execution keeps the id of a write to which it does not come again", function* () {
  const operator = yield* inTwoLives(Effect.zipLeft(paid, anHour), new Failed())
  yield* isAt(operator, { resource: "pay-1", state: "Waiting" })
})

for (const [which, second, left] of [
  ["one of two blocks", Effect.zipRight(undoable, new Failed()), ["reserve"]],
  ["any block", new Failed(), []]
] as const) {
  test(`an execution that does not come again to ${which} to undo is unknown`, function* () {
    undone.length = 0
    const refunded = Durable.compensate(Durable.sleep("pay", "1 milli"), () =>
      Effect.orDie(Durable.sleep("refund", "1 hour"))
    )
    const first = undoable.pipe(Effect.zipRight(refunded), Effect.zipRight(new Failed()))
    const operator = yield* inTwoLives(Durable.compensating(first), Durable.compensating(second))
    yield* isAt(operator, { outcome: "unknown", state: "Failed" })
    assert.deepStrictEqual(undone, [...left])
  })
}

test("an activity with the name of an awaited execution is none", function* () {
  const body = Activity.make({ name: "child/notify", execute: Effect.void }).pipe(
    Effect.zipRight(Durable.sleep("a minute", "1 minute")),
    Effect.as("done")
  )
  yield* isAt(yield* running("2 minutes", body), { state: "Succeeded" })
})

describe("a compensation that awaits an execution", () => {
  let refunds = 0
  const refund = Effect.asVoid(Effect.orDie(ChildA.execute({ key })))
  const refunding = awaiting(
    undoable.pipe(
      Effect.zipRight(Durable.compensate(paid, () => refund)),
      Effect.zipRight(new Failed()),
      Durable.compensating
    ),
    pay(() => Effect.succeed(`refund-${++refunds}`))
  )
  const isRefunded = (operator: Operated) =>
    Effect.gen(function* () {
      yield* isAt(operator, { outcome: "applied", state: "Failed" })
      assert.deepStrictEqual({ refunds, undone }, { refunds: 1, undone: ["reserve"] })
    })

  test("ends, as those after it do", function* () {
    undone.length = refunds = 0
    const operator = yield* starting(refunding)
    yield* VirtualClock.pass("2 hours")
    yield* isRefunded(operator)
  })

  test("goes on in a later life, although the process died when it began", function* () {
    undone.length = refunds = 0
    const store = yield* memoryStore.make
    const insert: typeof store.insert = (execution) =>
      execution.workflow === ChildA.name ? Effect.never : store.insert(execution)
    const first = starting(refunding, engines.on({ ...store, insert }))
    // Its scope would never close.
    yield* Scope.extend(first, yield* Scope.make())
    yield* VirtualClock.pass("3 seconds")
    const second = yield* Layer.build(Layer.provideMerge(refunding, engines.on(store)))
    yield* store.runners.leave(1)
    yield* VirtualClock.pass("10 minutes")
    yield* isRefunded(yield* Effect.provide(Operator.of(Shop), second))
  })
})

test("each part of a body decides for itself whether it is undone", function* () {
  undone.length = 0
  const first = Durable.compensating(Effect.zipRight(undoable, new Failed()))
  const second = Durable.compensate(Effect.void, () => noted("second")).pipe(
    Effect.zipRight(hiding),
    Effect.zipRight(anHour),
    Effect.zipRight(new Failed()),
    Durable.compensating
  )
  const workflow = shop(Effect.zipRight(Effect.either(first), second))
  const operator = yield* starting(Layer.provide(workflow, Policy.layer({ carryOn })))
  yield* VirtualClock.pass("2 hours")
  yield* isAt(operator, { outcome: "unknown", state: "Failed" })
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
    const carryOn = { initial: "5 seconds", factor: 1.5, deadline: "10 minutes" } as const
    const workflow = Layer.provide(shop(body), Policy.layer({ carryOn }))
    const starts = starting(workflow, engines.on(yield* memoryStore.make))
    ahead.millis = aheadMillis
    const operator = yield* Effect.withClock(starts, clock)
    // While the first request is under way.
    yield* VirtualClock.pass("5 seconds")
    ahead.millis = 0
    yield* VirtualClock.pass("2 hours")
    yield* isAt(operator, { outcome: "unknown", state: "Failed" })
    assert.strictEqual(sentMillis.length > 1, isSentAgain)
    assert.isAtMost(sentMillis.at(-1) ?? 0, 11 * 60_000)
  })
}

test("a pause that begins after the clock was set back lasts its time", function* () {
  const { ahead, clock } = yield* SettableClock.make
  ahead.millis = 3_600_000
  const endedMillis: Array<number> = []
  const body = Effect.gen(function* () {
    yield* slow("before")
    yield* slow("meanwhile")
    yield* Durable.sleep("first", "1 minute")
    yield* Durable.sleep("second", "1 minute")
    endedMillis.push(yield* Clock.currentTimeMillis)
    return yield* paid
  })
  const starts = starting(shop(body), engines.on(yield* memoryStore.make))
  yield* Effect.withClock(starts, clock)
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
  const write = pay(() => (++calls === 1 ? Effect.never : Effect.succeed("pay-1")))
  const body = undoable.pipe(
    Effect.zipRight(Durable.sleep("a minute", "1 minute")),
    Effect.zipRight(slow("slow")),
    Effect.zipRight(write),
    Durable.compensating
  )
  const scope = yield* Scope.make()
  const first = starting(shop(body), engines.on(store))
  yield* Scope.extend(Effect.withClock(first, clock), scope)
  yield* VirtualClock.pass("65 seconds")
  // During the step, time is corrected by a minute.
  ahead.millis = -60_000
  yield* VirtualClock.pass("30 seconds")
  assert.strictEqual(calls, 1)
  yield* Scope.close(scope, Exit.void)
  yield* store.modify(yield* Shop.executionId({ key }), transitions.interrupted)
  const second = Layer.build(Layer.provideMerge(shop(body), engines.on(store)))
  const context = yield* Effect.withClock(second, clock)
  yield* VirtualClock.pass("10 minutes")
  const operator = yield* Effect.provide(Operator.of(Shop), context)
  yield* isAt(operator, { outcome: "applied" })
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

/** An execution that was interrupted after a time, and had a minute to end. */
const interruptedAfter = (time: Duration.DurationInput, body: Body) =>
  Effect.gen(function* () {
    const operator = yield* running(time, body)
    yield* operator.interrupt(key)
    yield* VirtualClock.pass("1 minute")
    return operator
  })

test("an interrupt tells of what the body has applied, not its compensations", function* () {
  const refund = Durable.write({
    ...write,
    operation: "Shop.refund",
    key: IdempotencyKey.make("refund"),
    idOf: (id) => id,
    send: () => Effect.succeed("refund-1")
  })
  // The run after the pause knows of the refund from its start.
  const undo = Effect.zipRight(refund, Durable.sleep("a second", "1 second"))
  const bought = Durable.compensate(paid, () => Effect.orDie(undo))
  const body = Durable.compensating(Effect.zipLeft(bought, anHour))
  const operator = yield* interruptedAfter("1 second", body)
  const error = yield* Effect.flip(operator.await(key))
  const told = { _tag: "ExecutionCancelled", outcome: "applied", resource: "pay-1" } as const
  assert.deepInclude(error, told)
})

test("a write sends nothing after an interrupt", function* () {
  let calls = 0
  const write = pay(() => Effect.sync(() => `pay-${++calls}`))
  const operator = yield* interruptedAfter("1 second", Effect.zipRight(slow("slow"), write))
  yield* isAt(operator, { outcome: "notApplied", state: "Failed" })
  assert.strictEqual(calls, 0)
})

test("an interrupt ends the pause of a write that was refused for a while", function* () {
  const limited = new Errors.RateLimitError({ operation, status: 429, message: "too many" })
  const carryOn = { initial: "10 minutes", factor: 2, deadline: "1 day" } as const
  const policy = { ...Policy.defaults, carryOn }
  const refused = pay(() => Effect.fail(limited))
  const body = Effect.provideService(refused, Policy.Current, policy)
  const operator = yield* interruptedAfter("1 minute", body)
  yield* isAt(operator, { outcome: "notApplied", state: "Failed" })
})

test("an interrupt ends no write in doubt at a pause of no length before it", function* () {
  let calls = 0
  const send: Send = (key) => (++calls === 1 ? Effect.fail(lost(key)) : Effect.succeed("pay-1"))
  const body = Effect.zipRight(Durable.sleep("nothing", 0), pay(send))
  const operator = yield* interruptedAfter("500 millis", body)
  yield* isAt(operator, { outcome: "applied", resource: "pay-1" })
  assert.strictEqual(calls, 2)
})

test("a step that fails has a span that failed", function* () {
  const spans: Array<Tracer.AnySpan> = []
  const seen = Effect.map(Effect.currentParentSpan, (span) => void spans.push(span))
  const execute = Effect.zipRight(Effect.orDie(seen), new Failed())
  const body = Durable.step({ name: "fails", success: Schema.String, error: Failed, execute })
  yield* running("1 second", body)
  const exits = spans.map((span) =>
    span._tag === "Span" && span.status._tag === "Ended" ? span.status.exit : undefined
  )
  assert.isTrue(exits.length === 1 && exits[0] !== undefined && Exit.isFailure(exits[0]))
})

test("an uninterruptible body of a runner that was taken for dead goes on", function* () {
  const store = yield* memoryStore.make
  let calls = 0
  const late = Effect.delay(Effect.succeed("pay-late"), "30 seconds")
  const body = Effect.uninterruptible(pay(() => (++calls === 1 ? late : Effect.succeed("pay-1"))))
  const starts = starting(shop(body), engines.on(store))
  // Its scope would never close.
  const operator = yield* Scope.extend(starts, yield* Scope.make())
  yield* VirtualClock.pass("5 seconds")
  yield* store.runners.leave(1)
  yield* VirtualClock.pass("5 minutes")
  yield* isAt(operator, { state: "Succeeded" })
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
