/** Operating executions: lists, metrics and purges, on the engine in memory. */

import { assert, describe } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Executions from "@manilla/workflow-engine/Executions"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as CollectPayment from "@manilla/workflows/CollectPayment"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as IssueCard from "@manilla/workflows/IssueCard"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as world from "./utils/world.js"

const workflows = Layer.mergeAll(CollectPayment.layer, DisbursePayout.layer, IssueCard.layer)

/** Payments stay open. */
const test = VirtualClock.tests(
  workflows.pipe(
    Layer.provideMerge(Memory.layerMemory),
    Layer.provideMerge(world.services({ settleAfter: "1 day" }))
  )
)

/** Two payments that wait, a card that was issued, and one that was refused. */
const four = Effect.gen(function* () {
  const payments = yield* Operator.of(CollectPayment.workflow)
  const cards = yield* Operator.of(IssueCard.workflow)
  const { faults, paymentIntents } = yield* Sandbox.Sandbox
  yield* payments.start({ key: world.key("order-1"), ...world.payment })
  yield* VirtualClock.pass("100 seconds")
  yield* payments.start({ key: world.key("order-2"), ...world.payment })
  yield* VirtualClock.pass("1 seconds")
  yield* cards.start({ key: world.key("card-1"), ...(yield* world.card) })
  yield* VirtualClock.pass("1 seconds")
  yield* faults.add(Fault.status(422, { operation: "Cards.issue" }))
  yield* cards.start({ key: world.key("card-2"), ...(yield* world.card) })
  yield* VirtualClock.pass("100 seconds")
  assert.lengthOf(yield* paymentIntents, 2)
})

const keys = (executions: Iterable<Pick<Execution.Status, "businessKey">>) =>
  Array.from(executions, ({ businessKey }) => businessKey)

describe("a list of executions", () => {
  test("selects by workflow, state and age, in pages", function* () {
    yield* four
    yield* VirtualClock.pass("300 seconds")
    const list = (filter: Parameters<typeof Executions.stream>[0]) =>
      Effect.map(Stream.runCollect(Executions.stream(filter)), keys)
    assert.deepStrictEqual(yield* list({}), ["order-1", "order-2", "card-1", "card-2"])
    assert.deepStrictEqual(yield* list({ workflow: "Manilla/IssueCard/2" }), ["card-1", "card-2"])
    assert.deepStrictEqual(yield* list({ states: ["Failed"] }), ["card-2"])
    assert.deepStrictEqual(yield* list({ states: ["Failed", "Succeeded"] }), ["card-1", "card-2"])
    // A payment that is open looks and pauses in turn.
    const open = yield* list({ states: ["Running", "Waiting"] })
    assert.deepStrictEqual(open, ["order-1", "order-2"])
    assert.deepStrictEqual(yield* list({ states: [] }), [])
    assert.deepStrictEqual(yield* list({ minAge: "450 seconds" }), ["order-1"])

    const { list: page } = yield* Engine.Engine
    const first = yield* page({}, undefined, 3)
    assert.deepStrictEqual(keys(first), ["order-1", "order-2", "card-1"])
    assert.deepStrictEqual(keys(yield* page({}, first.at(-1), 3)), ["card-2"])
    const order = Option.getOrUndefined(yield* Stream.runHead(Executions.stream()))
    assert.isString(order?.resource)
    assert.notInclude(JSON.stringify(order), "+229")
  })
})

describe("a purge", () => {
  test("keeps the business key, so that it does not move money again", function* () {
    yield* four
    yield* VirtualClock.pass("300 seconds")
    const cards = yield* Operator.of(IssueCard.workflow)
    assert.strictEqual(yield* Executions.purge({ minAge: "1 minute" }), 1)
    const error = yield* Effect.flip(
      cards.start({ key: world.key("card-1"), ...(yield* world.card) })
    )
    assert.instanceOf(error, Execution.ExecutionPurged)
    assert.strictEqual(error.state, "Succeeded")
    assert.include(error.message, "card-1 ended as Succeeded at 1970-01-01T00:")
    assert.instanceOf(yield* Effect.flip(cards.await("card-1")), Execution.ExecutionPurged)
    const states = ["Failed", "Succeeded", "Died"] as const
    assert.strictEqual(yield* Executions.purge({ minAge: "1 minute", states }), 1)
    const { cards: issued } = yield* Sandbox.Sandbox
    assert.lengthOf(yield* issued, 1)
  })
})

describe("metrics", () => {
  test("count what started and ended, and show what is open", function* () {
    yield* four
    yield* VirtualClock.pass("300 seconds")
    const snapshot = yield* Metric.snapshot
    const valueOf = (name: string, ...tags: ReadonlyArray<string>) => {
      const found = snapshot.find(
        ({ metricKey }) =>
          metricKey.name === name &&
          tags.every((tag) => metricKey.tags.some(({ value }) => value === tag))
      )?.metricState
      if (found === undefined) return assert.fail(`no metric ${name}`)
      if (MetricState.isCounterState(found)) return Number(found.count)
      return MetricState.isGaugeState(found) ? Number(found.value) : assert.fail(name)
    }
    const collect = "Manilla/CollectPayment/2"
    const issue = "Manilla/IssueCard/2"
    assert.isAtLeast(valueOf("manilla_executions_started", collect), 2)
    assert.isAtLeast(valueOf("manilla_executions_ended", issue, "Succeeded"), 1)
    assert.isAtLeast(valueOf("manilla_executions_ended", issue, "Failed"), 1)
    // A payment is in a pause, or in a look.
    const open = ["running", "waiting"].map((state) =>
      valueOf(`manilla_executions_${state}`, collect)
    )
    const total = open.reduce((sum, count) => sum + count, 0)
    assert.strictEqual(total, 2)
    assert.strictEqual(valueOf("manilla_executions_running", issue), 0)
    assert.strictEqual(valueOf("manilla_executions_oldest_seconds", issue), 0)
    assert.approximately(valueOf("manilla_executions_oldest_seconds", collect), 500, 20)
  })
})
