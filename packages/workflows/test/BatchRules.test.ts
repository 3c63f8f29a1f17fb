/** The state of an item after the end of each request, and the counts of items. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Test from "@manilla/test-support/Test"
import * as Batches from "@manilla/workflow-engine/Batches"
import { exitJson } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as BatchEngine from "@manilla/workflows/BatchEngine"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as memoryTable from "../../workflow-engine/src/internal/memoryBatches.js"
import { lastError } from "../src/internal/batch/doubts.js"
import { follow } from "../src/internal/batch/follow.js"
import * as operate from "../src/internal/batch/operate.js"
import * as rules from "../src/internal/batch/rules.js"

const operation = "Payouts.create"
const message = "it failed"
const key = IdempotencyKey.make("key")
const reference = Payout.makeReference("PO-1")
const answer = { operation, message, status: 400 }
const lost = new Errors.TransportError({ operation, message, sent: true })
const unreadable = { ...answer, issues: [], key }

const cases: ReadonlyArray<readonly [Errors.KeyedWriteError, Batches.State]> = [
  [new Errors.OutcomeUnknown({ operation, message, key, cause: lost }), "unknown"],
  [new Errors.AppliedUnreadable(unreadable), "inDoubt"],
  [new Errors.AppliedUnreadable({ ...unreadable, reference: "" }), "inDoubt"],
  [new Errors.AppliedUnreadable({ ...unreadable, reference }), "created"],
  [new Errors.AppliedUnreadable({ ...unreadable, reference: "PO-\0" }), "unknown"],
  [new Errors.KeyReused({ operation, message, key, differs: [], attempts: 2 }), "inDoubt"],
  [new Errors.UnprocessableError(answer), "failed"],
  [new Errors.UnprocessableError({ ...answer, code: "IDEMPOTENCY_KEY_REUSED" }), "inDoubt"],
  [new Errors.ForbiddenError({ ...answer, grantedScopes: [] }), "failed"],
  [new Errors.RateLimitError(answer), "waiting"],
  [new Errors.UnauthorizedError(answer), "waiting"],
  [new Errors.TokenUnavailableError({ operation, message }), "waiting"],
  [new Errors.TransportError({ operation, message, sent: false }), "waiting"]
]

describe("the only request of an item", () => {
  for (const [error, state] of cases) {
    it(`that ended with ${error._tag} makes it ${state}`, () => {
      assert.strictEqual(rules.afterRequest(Exit.fail(error)).state, state)
    })
  }

  it("that ended with a defect makes it unknown", () => {
    assert.deepStrictEqual(rules.afterRequest(Exit.die("bug")), { state: "unknown" })
  })

  const created = Arbitrary.make(Payout.CreatedPayout)
  it("that created a payout makes it created until the payout is final", () => {
    FastCheck.assert(
      FastCheck.property(created, (payout) => {
        const pending = { ...payout, status: "PENDING" }
        assert.deepStrictEqual(rules.afterRequest(Exit.succeed(pending)), {
          state: "created",
          reference: payout.reference
        })
        const states = (status: string) =>
          rules.afterRequest(Exit.succeed({ ...payout, status })).state
        assert.strictEqual(states("COMPLETED"), "completed")
        assert.strictEqual(states("FAILED"), "notCompleted")
      }),
      { numRuns: 20 }
    )
  })
})

Test.effect("an item that was handed over never counts as failed", function* () {
  for (const [error] of cases) {
    const { result, state } = rules.afterExecution(Exit.fail(error))
    assert.strictEqual(state, "inDoubt", error._tag)
    const end = yield* rules.decodeEnd(result ?? "")
    assert.deepStrictEqual(end, Exit.fail(error))
  }
  assert.strictEqual(rules.afterLook(Exit.fail("no answer")).state, "pending")
})

Test.effect("each state of an item is counted once", function* () {
  const ends = { completed: 32, notCompleted: 64, failed: 128, inDoubt: 256, purged: 512 }
  const counts = { waiting: 1, sending: 2, created: 4, unknown: 8, pending: 16, ...ends }
  const table = { ...(yield* memoryTable.make), count: () => Effect.succeed(counts) }
  yield* table.insert("payroll", 0)
  yield* table.change("payroll", { phase: "running", total: 1_023 }, {})
  const progress = yield* operate.make(table).status("payroll")
  assert.deepInclude(progress, { notStarted: 1, creating: 10, pending: 20, ended: 992 })
  // Before the end of the batch, an unknown outcome is in doubt.
  const summary = yield* operate.summaryOf(table, "payroll", 1_001)
  assert.deepStrictEqual(summary, { total: 1_001, notStarted: 1, ...ends, inDoubt: 264 })
})

describe("an item that was handed over", () => {
  const request = {
    wallet_id: "7b0e6d52-1f0c-4f7a-9a55-2c1d9e8f4a10",
    amount: "1500",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  }
  const payload = { key, ...request }
  const paid = Schema.decodeSync(Payout.Payout)({
    reference: "PO-1",
    status: "COMPLETED",
    amount: "1500",
    currency: "XOF"
  })
  const end = Exit.succeed(paid)
  const invalid = new Execution.InvalidPayload({
    workflow: DisbursePayout.workflow.name,
    businessKey: key,
    issues: []
  })
  for (const [what, execution, unknown, pending, refused] of [
    ["is not started yet", undefined, undefined, undefined],
    ["cannot have its request", undefined, "inDoubt", "inDoubt", invalid],
    ["runs", { payload, end: undefined }, undefined, undefined],
    ["has created its payout", { payload, end: undefined, isCreated: true }, "pending", undefined],
    ["has ended", { payload, end }, "completed", "completed"],
    ["pays another", { payload: { ...payload, amount: "1" }, end }, "inDoubt", "inDoubt"],
    ["was purged", { payload: undefined, end }, "purged", "purged"]
  ] as const) {
    Test.effect(`whose execution ${what} becomes ${unknown ?? "nothing else"}`, function* () {
      const batches = yield* memoryTable.make
      yield* batches.insert("payroll", 1)
      const stored = { request: JSON.stringify(request) }
      yield* batches.add("payroll", 0, [
        { number: 0, key: "E0", ...stored },
        { number: 1, key: "E1", ...stored }
      ])
      yield* batches.write("payroll", 0, [
        { number: 0, state: "unknown" },
        { number: 1, state: "pending" }
      ])
      const doubt = Effect.succeed({ error: undefined, nextMillis: undefined })
      const found = Option.map(Option.fromNullable(execution), (one) => ({ ...one, doubt }))
      const engine = BatchEngine.BatchEngine.of({
        batches,
        startBatch: () => Effect.void,
        findBatch: () => Effect.succeedNone,
        startPayout: () => refused ?? Effect.void,
        findPayout: () => Effect.succeed(found)
      })
      const arrived = new Map<number, Batches.State>()
      const turns = yield* Effect.makeSemaphore(1)
      const owner = { batchKey: "payroll", epoch: 0, concurrency: 1, turns }
      yield* follow(
        owner,
        () => [0, 1],
        ({ number, state }) => void arrived.set(number, state)
      ).pipe(Effect.provideService(BatchEngine.BatchEngine, engine), Effect.fork)
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual([arrived.get(0), arrived.get(1)], [unknown, pending])
    })
  }
})

it("the last error of a write is that of its last round", () => {
  const Round = exitJson(Schema.Struct({ error: Errors.KeyedWriteError }), Schema.Unknown)
  const step = (name: string, error: Errors.KeyedWriteError) => ({
    name,
    exit: Schema.encodeSync(Round)(Exit.succeed({ error })),
    storedMillis: 0
  })
  const [limited, refused] = [
    new Errors.RateLimitError(answer),
    new Errors.UnauthorizedError(answer)
  ]
  const steps = [
    step("write/Payouts.disburse/0/1", limited),
    step("write/Payouts.disburse/1/1", refused),
    step("begin/Payouts.disburse/2/1", limited)
  ]
  assert.strictEqual(lastError(steps)?._tag, "UnauthorizedError")
  assert.isUndefined(lastError(steps.slice(2)))
})

describe("an operation on a batch", () => {
  /** The phase after it, or why it is refused. */
  const entered = {
    pause: { running: "paused", paused: "paused", interrupted: "interrupted" },
    resume: { running: "running", paused: "running", interrupted: "interrupted" },
    interrupt: { running: "interrupted", paused: "interrupted", interrupted: "interrupted" }
  } as const
  const always = {
    storing: "ExecutionNotFound",
    ended: "ended",
    purged: "ExecutionPurged"
  } as const
  const rows = (["pause", "resume", "interrupt"] as const).flatMap((name) => {
    const phases: Record<Batches.Phase, string> = { ...always, ...entered[name] }
    return Object.entries(phases).map(([phase, expected]) => [name, phase, expected] as const)
  })

  it.effect.each(rows)("to %s it when it is %s: %s", ([name, before, expected]) =>
    Effect.gen(function* () {
      const phase = yield* Schema.decodeUnknown(Batches.Phase)(before)
      const table = yield* memoryTable.make
      yield* table.insert("payroll", 1)
      yield* table.change("payroll", { phase }, {})
      const end = yield* Effect.either(operate.make(table)[name]("payroll"))
      const stored = Option.getOrThrow(yield* table.find("payroll"))
      assert.strictEqual(Either.isLeft(end) ? end.left._tag : stored.phase, expected)
      if (Either.isLeft(end)) assert.strictEqual(stored.phase, phase)
    })
  )
})

describe("the purge of a batch", () => {
  /** None: it deletes the items. */
  const errors = {
    storing: "ExecutionNotFound",
    running: "ExecutionNotEnded",
    paused: "ExecutionNotEnded",
    interrupted: "ExecutionNotEnded",
    ended: undefined,
    purged: undefined
  } as const satisfies Record<Batches.Phase, string | undefined>

  it.effect.each(Object.entries(errors))("that is %s", ([name, error]) =>
    Effect.gen(function* () {
      const phase = yield* Schema.decodeUnknown(Batches.Phase)(name)
      const table = yield* memoryTable.make
      yield* table.insert("payroll", 1)
      yield* table.add("payroll", 0, [{ number: 0, key: "E1", request: "{}" }])
      yield* table.write("payroll", 0, [{ number: 0, state: "sending" }])
      yield* table.change("payroll", { phase, total: 1 }, {})
      const end = yield* Effect.either(operate.make(table).purge("payroll"))
      assert.strictEqual(Either.isLeft(end) ? end.left._tag : undefined, error)
      const stored = Option.getOrThrow(yield* table.find("payroll"))
      const items = yield* table.read("payroll", {}, 10)
      assert.lengthOf(items, error === undefined ? 0 : 1)
      assert.strictEqual(stored.phase, error === undefined ? "purged" : phase)
    })
  )
})
