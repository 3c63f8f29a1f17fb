/** Bodies without blocks, as Effect's documentation writes them: interrupts, compensations and signals. */
import { assert, describe } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as engines from "./utils/engines.js"

const Shop = Workflow.make({
  name: "Shop/Plain/1",
  payload: { key: Schema.String },
  error: Schema.String,
  idempotencyKey: ({ key }) => key
})

const Child = Workflow.make({
  name: "Shop/Child/1",
  payload: { key: Schema.String },
  idempotencyKey: ({ key }) => key
})

type Body = Effect.Effect<
  void,
  string,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance | Scope.Scope
>

const sleep = DurableClock.sleep({ name: "long", duration: "20 minutes" })
const approval = DurableDeferred.make("approval")
const approved = DurableDeferred.await(approval)

/** An engine whose runner shows that it lives every few seconds, with a body, and a child that sleeps. */
const run = (body: Body, workflow = Shop) =>
  Effect.gen(function* () {
    const layer = Layer.merge(
      workflow.toLayer(() => body),
      Child.toLayer(() => sleep)
    )
    const engine = engines.on(yield* memoryStore.make)
    const context = yield* Layer.build(Layer.provideMerge(layer, engine))
    const operator = yield* Effect.provide(Operator.of(workflow), context)
    const children = yield* Effect.provide(Operator.of(Child), context)
    return { operator, children }
  })

const interrupted = (body: Body, workflow = Shop) =>
  Effect.gen(function* () {
    const { children, operator } = yield* run(body, workflow)
    yield* operator.start({ key: "order-42" })
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual((yield* operator.status("order-42")).state, "Waiting")
    yield* operator.interrupt("order-42")
    yield* VirtualClock.pass("1 minute")
    const { state } = yield* operator.status("order-42")
    return { children, state }
  })

describe("an interrupt", () => {
  for (const [name, child] of [
    ["awaits", Child.execute({ key: "child" })],
    ["has started", Effect.zipRight(Child.execute({ key: "child" }, { discard: true }), sleep)]
  ] as const) {
    VirtualClock.test(`reaches an execution that a body ${name}`, () =>
      Effect.gen(function* () {
        const { children, state } = yield* interrupted(child)
        assert.strictEqual(state, "Failed")
        assert.strictEqual((yield* children.status("child")).state, "Failed")
      })
    )
  }

  VirtualClock.test("ends a body that waits because it has failed", () =>
    Effect.gen(function* () {
      let refunds = 0
      const body = Workflow.withCompensation(Effect.void, () => Effect.sync(() => void refunds++))
      const { state } = yield* interrupted(
        Effect.zipRight(body, Effect.fail("refused")),
        Shop.annotate(Workflow.SuspendOnFailure, true)
      )
      assert.strictEqual(state, "Failed")
      assert.strictEqual(refunds, 1)
    })
  )

  VirtualClock.test("ends a body of which a compensation dies, and repeats no other one", () =>
    Effect.gen(function* () {
      let refunds = 0
      const body = Effect.gen(function* () {
        yield* Workflow.withCompensation(Effect.void, () => Effect.die("no second refund"))
        yield* Workflow.withCompensation(Effect.void, () => Effect.sync(() => void refunds++))
        yield* sleep
      })
      const { state } = yield* interrupted(body)
      assert.strictEqual(state, "Died")
      assert.isAtMost(refunds, 1)
    })
  )

  VirtualClock.test("lets the process end after the compensation that runs", () =>
    Effect.gen(function* () {
      let refunds = 0
      const refund = Effect.delay(
        Effect.sync(() => void refunds++),
        "2 minutes"
      )
      const body = Effect.zipRight(
        Workflow.withCompensation(Effect.void, () => refund),
        sleep
      )
      const scope = yield* Scope.make()
      yield* Scope.extend(interrupted(body), scope)
      assert.strictEqual(refunds, 0)
      yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* VirtualClock.pass("2 minutes")
      assert.strictEqual(refunds, 1)
    })
  )
})

describe("a compensation", () => {
  const refuse = Effect.fail("refused")
  for (const [name, end, wait] of [
    ["of a body that fails waits for a pause", refuse, sleep],
    ["of a body that is interrupted waits for a pause", approved, sleep],
    ["waits for an execution", refuse, Child.execute({ key: "refund" })]
  ] as const) {
    VirtualClock.test(name, () =>
      Effect.gen(function* () {
        let refunds = 0
        const refund = Effect.zipRight(
          wait,
          Effect.sync(() => void refunds++)
        )
        const paid = Workflow.withCompensation(Effect.void, () => refund)
        const { operator } = yield* run(Effect.zipRight(paid, end))
        yield* operator.start({ key: "order-42" })
        yield* VirtualClock.pass("5 seconds")
        yield* operator.interrupt("order-42")
        yield* VirtualClock.pass("10 minutes")
        assert.strictEqual((yield* operator.status("order-42")).state, "Waiting")
        yield* VirtualClock.pass("15 minutes")
        assert.strictEqual((yield* operator.status("order-42")).state, "Failed")
        assert.strictEqual(refunds, 1)
      })
    )
  }
})

describe("a signal", () => {
  const send = (to: string) =>
    Effect.gen(function* () {
      const executionId = yield* Shop.executionId({ key: to })
      const token = DurableDeferred.tokenFromExecutionId(approval, { workflow: Shop, executionId })
      yield* DurableDeferred.succeed(approval, { token, value: undefined })
    })

  VirtualClock.test("of two bodies to each other lets each run once more", () =>
    Effect.gen(function* () {
      let runs = 0
      const body = Effect.gen(function* () {
        // Without an end, the test would not end either.
        if (++runs > 100) return
        yield* send("a")
        yield* send("b")
        yield* approved
        yield* sleep
      })
      const { operator } = yield* run(body)
      yield* operator.start({ key: "a" })
      yield* operator.start({ key: "b" })
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual((yield* operator.status("a")).state, "Waiting")
      assert.isAtMost(runs, 6)
    })
  )

  VirtualClock.test("of a fiber that outlives its body arrives", () =>
    Effect.gen(function* () {
      let runs = 0
      const later = Effect.forkDaemon(Effect.delay(send("b"), "5 seconds"))
      const body = Effect.suspend(() => (runs++ === 0 ? Effect.asVoid(later) : approved))
      const { operator } = yield* run(body)
      yield* operator.start({ key: "a" })
      yield* VirtualClock.pass("1 second")
      yield* operator.start({ key: "b" })
      yield* VirtualClock.pass("10 seconds")
      assert.strictEqual((yield* operator.status("b")).state, "Succeeded")
    })
  )
})

VirtualClock.test("an activity whose result JSON does not keep runs once", () =>
  Effect.gen(function* () {
    let payments = 0
    const pay = Activity.make({
      name: "pay",
      success: Schema.Number,
      execute: Effect.sync(() => {
        payments++
        return NaN
      })
    })
    const body = Effect.asVoid(pay)
    const { operator } = yield* run(body, Shop.annotate(Workflow.SuspendOnFailure, true))
    yield* operator.start({ key: "order-42" })
    yield* VirtualClock.pass("5 seconds")
    yield* operator.resume("order-42")
    yield* VirtualClock.pass("5 seconds")
    assert.strictEqual((yield* operator.status("order-42")).state, "Waiting")
    assert.strictEqual(payments, 1)
  })
)
