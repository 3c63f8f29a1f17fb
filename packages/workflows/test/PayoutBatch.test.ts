/** Batches on the engine in memory, in virtual time. */
import { assert } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Executions from "@manilla/workflow-engine/Executions"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Batch from "@manilla/workflows/Batch"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Policy from "@manilla/workflows/Policy"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as world from "./utils/world.js"

const layer = (
  options: Sandbox.Options = {},
  batch: { readonly concurrency?: number } = {},
  policy?: Partial<Policy.Policy>
) =>
  PayoutBatch.layer(batch).pipe(
    Layer.provideMerge(DisbursePayout.layer),
    Layer.provide(Policy.layer(policy)),
    Layer.provideMerge(Memory.layerMemory),
    Layer.provideMerge(world.services(options))
  )

const test = VirtualClock.tests(layer())
const threeAtOnce = VirtualClock.tests(layer({}, { concurrency: 3 }))

const operation = "Payouts.create"

const items = (count: number) =>
  Effect.map(world.payout, (request) =>
    Array.from({ length: count }, (_, i) => ({
      key: `E${String(i + 1).padStart(3, "0")}`,
      request
    }))
  )

const begin = (list: ReadonlyArray<Batch.Item>) =>
  Effect.flatMap(PayoutBatch.PayoutBatch, (batches) =>
    batches.start("payroll", Stream.fromIterable(list))
  )

const start = (count: number) => Effect.flatMap(items(count), begin)

const refusal = (list: ReadonlyArray<Batch.Item>) =>
  Effect.map(Effect.flip(begin(list)), (error) => {
    assert.instanceOf(error, Batch.InvalidItems)
    assert.isAtMost(error.issues.length, 100)
    return error.message
  })

const results = Effect.gen(function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  return Chunk.toReadonlyArray(yield* Stream.runCollect(batches.results("payroll")))
})

const progress = Effect.gen(function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  return Option.getOrThrow(yield* Stream.runHead(batches.progress("payroll")))
})

const summary = Effect.gen(function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  return yield* batches.await("payroll")
})

const made = Effect.flatMap(Sandbox.Sandbox, ({ payouts }) => payouts)

test("pays each item once, with a key from the keys of the batch and the item", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.dropAfter({ operation, count: 12 }))
  yield* start(12)
  yield* VirtualClock.pass("600 seconds")
  assert.deepInclude(yield* summary, { total: 12, completed: 12, inDoubt: 0 })
  assert.lengthOf(yield* made, 12)
  const keys = new Set(yield* world.keysOf(operation))
  assert.strictEqual(keys.size, 12)
  assert.isTrue(keys.has("PayoutBatch:payroll:E001"))
  for (const { end, key, state } of yield* results) {
    assert.strictEqual(state, "completed", key)
    assert.isTrue(Option.exists(end, Exit.isSuccess), key)
  }
})

/** Each creation takes a while. */
const slowly = Effect.flatMap(Sandbox.Sandbox, ({ faults }) =>
  faults.add(Fault.delay("20 seconds", { operation, count: "always" }))
)

threeAtOnce("creates no more payouts at once than its concurrency", function* () {
  yield* slowly
  yield* start(9)
  yield* VirtualClock.pass("10 seconds")
  assert.deepInclude(yield* progress, { total: 9, creating: 3, pending: 0, notStarted: 6 })
  yield* VirtualClock.pass("25 seconds")
  assert.deepInclude(yield* progress, { creating: 3, notStarted: 3 })
  yield* VirtualClock.pass("300 seconds")
  assert.strictEqual((yield* summary).completed, 9)
  assert.lengthOf(yield* world.keysOf(operation), 9)
})

threeAtOnce("payouts that stay in doubt do not hold up the others", function* () {
  const all = yield* items(9)
  // A magic amount of the sandbox: each answer is lost.
  const lost = all.map(({ key, request }, i) => ({
    key,
    request: i < 3 ? { ...request, amount: "999.9953" } : request
  }))
  yield* begin(lost)
  yield* VirtualClock.pass("600 seconds")
  assert.deepInclude(yield* progress, { creating: 3, notStarted: 0, ended: 6 })
  assert.lengthOf(yield* made, 9)
})

threeAtOnce("has at most five times its concurrency in doubt in an outage", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.dropAfter({ operation, count: "always" }))
  yield* start(20)
  yield* VirtualClock.pass("3000 seconds")
  assert.deepInclude(yield* progress, { creating: 15, notStarted: 5 })
  assert.strictEqual(new Set(yield* world.keysOf(operation)).size, 15)
  yield* faults.clear
  yield* VirtualClock.pass("6000 seconds")
  assert.deepInclude(yield* summary, { total: 20, completed: 20 })
})

VirtualClock.tests(layer({ settleAfter: "1 day" }, { concurrency: 2 }))(
  "payouts that stay pending for long do not hold up the others",
  function* () {
    yield* start(6)
    yield* VirtualClock.pass("30 seconds")
    assert.deepInclude(yield* progress, { notStarted: 0, creating: 0, pending: 6, ended: 0 })
    assert.lengthOf(yield* made, 6)
  }
)

VirtualClock.tests(
  layer({ settleAfter: "1 day" }, {}, { look: { ...Policy.defaults.look, deadline: "20 seconds" } })
)("hands a pending payout over at the deadline of its policy", function* () {
  const disburse = yield* Operator.of(DisbursePayout.workflow)
  const status = disburse.status("PayoutBatch:payroll:E001")
  yield* start(1)
  yield* VirtualClock.pass("15 seconds")
  assert.strictEqual((yield* Effect.flip(status))._tag, "ExecutionNotFound")
  assert.deepInclude(yield* progress, { creating: 0, pending: 1 })
  yield* VirtualClock.pass("15 seconds")
  assert.strictEqual((yield* status).state, "Running")
  assert.lengthOf(yield* made, 1)
})

threeAtOnce("starts nothing while it is paused, and goes on after resume", function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* slowly
  yield* start(8)
  yield* VirtualClock.pass("10 seconds")
  yield* batches.pause("payroll")
  yield* VirtualClock.pass("600 seconds")
  assert.deepInclude(yield* progress, { ended: 3, notStarted: 5, phase: "paused" })
  assert.lengthOf(yield* made, 3)
  yield* batches.resume("payroll")
  yield* VirtualClock.pass("600 seconds")
  assert.strictEqual((yield* summary).completed, 8)
  assert.lengthOf(yield* made, 8)
})

threeAtOnce("starts no item after an interrupt, and ends after the others", function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* slowly
  yield* start(8)
  yield* VirtualClock.pass("10 seconds")
  yield* batches.interrupt("payroll")
  yield* VirtualClock.pass("600 seconds")
  assert.deepInclude(yield* summary, { total: 8, completed: 3, notStarted: 5 })
  assert.lengthOf(yield* made, 3)
  const states = (yield* results).map(({ state }) => state)
  assert.strictEqual(states.filter((state) => state === "waiting").length, 5)
})

threeAtOnce("emits its progress, and ends with the batch", function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* slowly
  yield* start(5)
  const emitted = yield* Effect.fork(Stream.runCollect(batches.progress("payroll")))
  yield* VirtualClock.pass("300 seconds")
  const all = Chunk.toReadonlyArray(yield* Fiber.join(emitted))
  assert.deepInclude(all.at(-1), { total: 5, ended: 5, creating: 0 })
  const ended = all.map((one) => one.ended)
  assert.deepStrictEqual(ended, [...ended].sort())
  assert.isAbove(all.length, 2)
})

VirtualClock.tests(
  layer({}, {}, { carryOn: { initial: "5 seconds", factor: 2, deadline: "10 minutes" } })
)("tells a refused item from one whose outcome is unknown", function* () {
  const { faults } = yield* Sandbox.Sandbox
  yield* faults.add(Fault.status(422, { operation }))
  yield* start(1)
  yield* VirtualClock.pass("10 seconds")
  assert.deepInclude(yield* summary, { failed: 1, inDoubt: 0 })
  const batches = yield* PayoutBatch.PayoutBatch
  yield* faults.add(Fault.dropAfter({ operation, count: "always" }))
  yield* batches.start("doubtful", Stream.fromIterable(yield* items(1)))
  yield* VirtualClock.pass("7200 seconds")
  assert.deepInclude(yield* batches.await("doubtful"), { failed: 0, inDoubt: 1 })
  const [result] = yield* Stream.runCollect(batches.results("doubtful"))
  const error = Option.flatMap(result?.end ?? Option.none(), Exit.causeOption)
  const failure = Option.getOrUndefined(Option.flatMap(error, Cause.failureOption))
  assert.instanceOf(failure, Errors.OutcomeUnknown)
  const keys = (yield* world.keysOf(operation)).filter((key) => key?.includes("doubtful"))
  assert.strictEqual(new Set(keys).size, 1)
})

test("accepts the same items in another order, and names the difference of others", function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  const three = yield* items(3)
  yield* begin(three)
  yield* begin([...three].reverse())
  const [one, two] = three
  if (one === undefined || two === undefined) return assert.fail("no items")
  const error = yield* Effect.flip(
    begin([
      one,
      { ...two, request: { ...two.request, amount: "2", destination: "+2290161234568" } },
      { ...one, key: "E009" }
    ])
  )
  assert.instanceOf(error, Batch.ItemsDiffer)
  assert.deepStrictEqual(error.issues, [
    { field: "E002", rule: "has another amount and destination" },
    { field: "E009", rule: "was added" },
    { field: "E003", rule: "is missing" }
  ])
  assert.include(error.message, "E002 has another amount and destination; E009 was added")
  assert.notInclude(error.message, "+229")
  assert.include(yield* refusal([one, one]), "items.1.key must differ from the key of items.0")
  yield* VirtualClock.pass("60 seconds")
  assert.lengthOf(yield* made, 3)
  assert.strictEqual((yield* batches.await("payroll")).completed, 3)
})

test("refuses a batch as a whole, and names each row that breaks a rule", function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  const some = yield* items(1_500)
  const [one] = some
  if (one === undefined) return assert.fail("no items")
  assert.include(yield* refusal([]), "items must not be empty")
  assert.include(yield* refusal([one, one]), "items.1.key must differ from the key of items.0")
  const bad = { key: " ", request: { ...one.request, amount: "-1", currency: "CFA1" } }
  const issues = yield* refusal([...some, bad, one])
  assert.include(issues, "items.1500.key must be without a space at either end")
  assert.include(issues, "items.1500.request.amount")
  assert.include(issues, "items.1500.request.currency")
  assert.include(issues, "items.1501.key must differ from the key of items.0")
  assert.include(yield* refusal([...some, ...some]), "and 1400 more rows")
  const error = yield* Effect.flip(batches.start(" ", Stream.make(one)))
  assert.include(error.message, "batchKey must be without a space")
  const stopped = Stream.concat(Stream.make(one), Stream.fail("the file ends here" as const))
  assert.strictEqual(yield* Effect.flip(batches.start("payroll", stopped)), "the file ends here")
  yield* VirtualClock.pass("60 seconds")
  assert.lengthOf(yield* world.keysOf(operation), 0)
  const missing = yield* Effect.flip(batches.status("payroll"))
  assert.strictEqual(missing._tag, "ExecutionNotFound")
  // Nothing of the earlier calls is left.
  yield* begin([one])
  yield* VirtualClock.pass("60 seconds")
  assert.deepInclude(yield* summary, { total: 1, completed: 1 })
})

VirtualClock.tests(layer({}, { concurrency: 1 }))(
  "does not take another payout under the key of an item for its own",
  function* () {
    const disburse = yield* Operator.of(DisbursePayout.workflow)
    const { faults } = yield* Sandbox.Sandbox
    const two = yield* items(2)
    const [one] = two
    if (one === undefined) return assert.fail("no items")
    for (const item of ["E001", "E002"]) {
      const key = world.key(`PayoutBatch:payroll:${item}`)
      yield* disburse.start({ ...one.request, key, amount: "7" })
    }
    yield* VirtualClock.pass("60 seconds")
    // The service refuses the key of one, which has paid something else. Nobody knows of the other one.
    yield* faults.add(Fault.dropBefore({ operation, count: 5 }))
    yield* begin(two)
    yield* VirtualClock.pass("600 seconds")
    assert.deepInclude(yield* summary, { completed: 0, failed: 0, inDoubt: 2 })
  }
)

test("deletes the items of a batch that has ended, and keeps its key", function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* slowly
  yield* start(1)
  const early = yield* Effect.flip(batches.purge("payroll"))
  assert.strictEqual(early._tag, "ExecutionNotEnded")
  yield* VirtualClock.pass("60 seconds")
  // The row of its execution is not the batch.
  assert.strictEqual(yield* Executions.purge({ minAge: 0 }), 1)
  yield* start(1)
  assert.deepInclude(yield* summary, { total: 1, completed: 1 })
  yield* batches.purge("payroll")
  const errors = yield* Effect.all(
    [start(1), results, summary].map((call) =>
      Effect.flip<unknown, { readonly _tag: string }, PayoutBatch.PayoutBatch | Sandbox.Sandbox>(
        call
      )
    )
  )
  for (const { _tag } of errors) assert.strictEqual(_tag, "ExecutionPurged")
  assert.lengthOf(yield* made, 1)
})

test("a concurrency that is not a number of items is a typed error", function* () {
  for (const concurrency of [0, -1, 1.5, NaN, Infinity, 1_001]) {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layer({}, { concurrency }))))
    assert.include(error.message, "concurrency must be an integer from 1 to 1000")
  }
})
