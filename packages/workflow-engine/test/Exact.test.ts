/** The rules of the engine, each over all of its cases: what it refuses, what it waits for, and what an interrupt ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Activity from "@effect/workflow/Activity"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Files from "@manilla/test-support/Files"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Encoding from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Memory from "@manilla/workflow-engine/memory"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Sqlite from "@manilla/workflow-engine/sqlite"
import * as Durable from "@manilla/workflows/Durable"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as memoryStore from "../src/internal/memoryStore.js"
import * as engines from "./utils/engines.js"
import * as transitions from "../src/internal/transitions.js"
import * as closing from "./utils/closing.js"
import * as exact from "./utils/exact.js"
import * as executions from "./utils/executions.js"
import { onSqlite } from "./utils/sqlite.js"
import {
  all,
  block,
  type Body,
  done,
  flight,
  hotel,
  key,
  note,
  signal,
  Patient,
  sleep,
  started
} from "./utils/trip.js"

const test = VirtualClock.tests(Layer.empty)

describe("an engine in memory", () => exact.test(memoryStore.make, VirtualClock.test))

describe("an engine on SQLite", () => exact.test(Effect.orDie(onSqlite), VirtualClock.test))

describe("a body is refused before anything is sent, and told what to do, if it", () => {
  const discard = "Start all executions with `{ discard: true }`"
  const deadline = "`Durable.signal({ name, success, deadline })`"
  const oneByOne = "Call blocks one after another"
  for (const [name, body, remedy] of [
    ["awaits executions beside each other", all(hotel, flight), discard],
    [
      "awaits an execution until a timeout",
      Effect.ignore(Effect.timeout(hotel, "1 minute")),
      discard
    ],
    [
      "awaits an execution in a fiber",
      Effect.flatMap(Effect.fork(hotel), (one) => one.await),
      discard
    ],
    ["pauses beside a pause", all(sleep, sleep), deadline],
    ["pauses in a race", Effect.race(sleep, Effect.never), deadline],
    ["awaits a signal until a timeout", Effect.ignore(Effect.timeout(signal, "1 day")), deadline],
    [
      "awaits a signal in a race of Effect's",
      DurableDeferred.raceAll({
        name: "race",
        success: Schema.Void,
        error: Schema.Never,
        effects: [signal, sleep]
      }),
      deadline
    ],
    [
      "races activities",
      Activity.raceAll("race", [note("a"), note("b")]),
      "Race effects in one activity"
    ],
    ["runs blocks beside each other", all(block, block), oneByOne],
    ["runs a block in a race", Effect.race(block, Effect.never), oneByOne],
    [
      "makes a part undoable beside another one",
      Durable.compensating(
        Effect.all(
          [
            Durable.compensate(note("a"), () => Effect.void),
            Durable.compensate(note("b"), () => Effect.void)
          ],
          { concurrency: "unbounded", discard: true }
        )
      ),
      oneByOne
    ],
    ["ends before a block in a fiber", Effect.asVoid(Effect.fork(block)), oneByOne],
    ["pauses before a block in a fiber", Effect.zipRight(Effect.fork(block), sleep), oneByOne],
    [
      "awaits a signal before a block in a fiber",
      Effect.zipRight(Effect.fork(block), signal),
      oneByOne
    ],
    [
      "fails before a block in a fiber",
      Effect.zipRight(Effect.fork(block), Effect.fail("no seat")),
      oneByOne
    ],
    ["pauses before a signal in a fiber", Effect.zipRight(Effect.fork(signal), block), deadline],
    ["hides that", Effect.catchAllCause(all(sleep, sleep), () => note("ship")), deadline]
  ] satisfies ReadonlyArray<readonly [string, Body, string]>) {
    test(name, function* () {
      const { operator } = yield* started(memoryStore.make, body)
      yield* VirtualClock.pass("1 minute")
      assert.strictEqual((yield* operator.status(key)).state, "Died")
      const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
      assert.include(Cause.pretty(cause), remedy)
      assert.deepStrictEqual(done, [])
    })
  }

  test("uses `Workflow.withCompensation`: it is undone at once", function* () {
    const paid = Workflow.withCompensation(hotel, () => Effect.orDie(note("refund")))
    const { operator } = yield* started(memoryStore.make, Effect.zipRight(paid, note("ship")))
    yield* VirtualClock.pass("1 minute")
    assert.deepStrictEqual(done, ["pay hotel", "refund"])
    const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
    assert.include(Cause.pretty(cause), "Use `Durable.compensating`")
  })
})

describe("what is too large to be stored", () => {
  const large = "a".repeat(Encoding.mostBytes)
  const bytes = `bytes as JSON, and the engine stores at most ${Encoding.mostBytes}`
  const Large = Workflow.make({
    name: "Shop/Large/1",
    payload: { key: Schema.String, text: Schema.optional(Schema.String) },
    success: Schema.String,
    error: Durable.WriteError,
    idempotencyKey: ({ key }) => key
  })
  const success = Schema.String
  const returned = Effect.sync(() => {
    done.push("sent")
    return large
  })
  const written = Durable.write({
    operation: "Shop.pay",
    key: IdempotencyKey.make("pay"),
    success,
    idOf: () => "pay-1",
    send: () => returned
  })
  const running = (body: Effect.Effect<string, Durable.WriteError, Durable.InExecution>) =>
    Effect.gen(function* () {
      done.length = 0
      const store = yield* memoryStore.make
      const context = yield* Layer.build(
        Layer.provideMerge(
          Large.toLayer(() => body),
          engines.on(store)
        )
      )
      return { context, operator: yield* Effect.provide(Operator.of(Large), context), store }
    })

  for (const [what, body, outcome] of [
    [
      "the result of an activity",
      Activity.make({ name: "a", success, execute: returned }),
      undefined
    ],
    [
      "the result of a step",
      Durable.step({ name: "s", success, error: Schema.Never, execute: returned }),
      "notApplied"
    ],
    ["the response to a write", written, "applied"],
    ["the end of a body that has paid", Effect.map(Effect.ignore(written), () => large), "applied"],
    [
      "the failure of a body that has paid",
      Effect.zipRight(Effect.ignore(written), Effect.die(large)),
      "applied"
    ]
  ] satisfies ReadonlyArray<
    readonly [string, Effect.Effect<string, Durable.WriteError, Durable.InExecution>, unknown]
  >) {
    test(`${what} is told, and its outcome stays`, function* () {
      const { operator } = yield* running(body)
      yield* operator.start({ key })
      yield* VirtualClock.pass("1 minute")
      const cause = yield* Effect.flip(Effect.sandbox(operator.await(key)))
      assert.include(Cause.pretty(cause), bytes)
      assert.strictEqual((yield* operator.status(key)).outcome, outcome)
      assert.deepStrictEqual(done, ["sent"])
    })
  }

  test("a payload is refused before anything is stored", function* () {
    const { operator, store } = yield* running(returned)
    const error = yield* Effect.flip(operator.start({ key, text: large }))
    assert.include(error.message, `payload must have at most ${Encoding.mostBytes} bytes`)
    assert.deepStrictEqual(yield* store.list({}, undefined, 1), [])
  })

  test("a signal is refused, and its receiver waits for another one", function* () {
    const approval = DurableDeferred.make("approval", { success })
    const waits = Durable.signal({ name: "approval", success, deadline: "1 day" })
    const { context, operator } = yield* running(Effect.map(Effect.orDie(waits), Option.getOrThrow))
    yield* operator.start({ key })
    const token = yield* DurableDeferred.tokenFromPayload(approval, {
      workflow: Large,
      payload: { key }
    })
    const send = (value: string) =>
      Effect.sandbox(DurableDeferred.succeed(approval, { token, value })).pipe(
        Effect.provide(context)
      )
    assert.include(Cause.pretty(yield* Effect.flip(send(large))), bytes)
    // As it is stored, it has 29 bytes more.
    const most = "a".repeat(Encoding.mostBytes - 29)
    yield* send(most)
    yield* VirtualClock.pass("1 minute")
    assert.isTrue((yield* operator.await(key)) === most)
  })

  test("the failure after which a body waits is told in a sentence", function* () {
    const { context } = yield* started(memoryStore.make, Effect.die(new Error(large)), Patient)
    yield* VirtualClock.pass("5 seconds")
    const result = yield* Effect.flatMap(Patient.executionId({ key }), Patient.poll).pipe(
      Effect.provide(context)
    )
    assert.include(
      Cause.pretty(result?._tag === "Suspended" && result.cause ? result.cause : Cause.empty),
      "the failure is too large to be stored"
    )
  })

  test("the largest end of another execution is read", function* () {
    const most = "\\".repeat(Encoding.mostBytes / 2 - 20)
    const body = Effect.flatMap(WorkflowEngine.WorkflowInstance, ({ executionId }) =>
      executionId === Execution.idOf(Large.name, "b")
        ? Effect.succeed(most)
        : Large.execute({ key: "b" })
    )
    const { operator } = yield* running(body)
    yield* operator.start({ key })
    yield* VirtualClock.pass("1 minute")
    assert.isTrue((yield* operator.await("b")) === most)
    assert.isTrue((yield* operator.await(key)) === most)
  })
})

it("a pause shows that no step kills its process", () => {
  const before = { ...executions.execution, deaths: 3, step: "a/1" }
  const wait = { pause: "a minute", dueMillis: 60_000 }
  const after = transitions.suspended(wait, {}, before.wakes)(before)
  assert.deepInclude(after, { ...wait, deaths: 0, step: undefined, runner: undefined })
})

test("a body that catches the end of its run does nothing more before its next run", function* () {
  const pause = Durable.sleep("a minute", "1 minute")
  const caught = Effect.uninterruptible(Effect.catchAllCause(pause, () => note("early")))
  const { operator } = yield* started(memoryStore.make, Effect.zipRight(caught, note("ship")))
  yield* VirtualClock.pass("30 seconds")
  assert.deepStrictEqual(done, [])
  yield* VirtualClock.pass("1 minute")
  assert.deepStrictEqual(done, ["ship"])
  assert.strictEqual((yield* operator.status(key)).state, "Succeeded")
})

describe("a call that awaits an execution is interrupted when its engine ends", () => {
  it.live("in memory", () => closing.test(Effect.succeed(Memory.layerMemory)))
  it.live("on SQLite", () =>
    closing.test(Effect.map(Files.database, (file) => Layer.orDie(Sqlite.layerSqlite({ file }))))
  )
})
