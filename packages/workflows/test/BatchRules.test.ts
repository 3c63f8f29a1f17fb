/** The state of an item after the end of each request, and the counts of items. */
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payout from "@manilla/payouts/Payout"
import * as Batches from "@manilla/workflow-engine/Batches"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as memoryTable from "../../workflow-engine/src/internal/memoryBatches.js"
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

it.effect("an item that was handed over never counts as failed", () =>
  Effect.gen(function* () {
    for (const [error] of cases) {
      const { result, state } = rules.afterExecution(Exit.fail(error))
      assert.strictEqual(state, "inDoubt", error._tag)
      const end = yield* rules.decodeEnd(result ?? "")
      assert.deepStrictEqual(end, Exit.fail(error))
    }
    assert.strictEqual(rules.afterLook(Exit.fail("no answer")).state, "pending")
  })
)

it.effect("each state of an item is counted once", () =>
  Effect.gen(function* () {
    const ends = { completed: 32, notCompleted: 64, failed: 128, inDoubt: 256, purged: 512 }
    const counts = { waiting: 1, sending: 2, created: 4, unknown: 8, pending: 16, ...ends }
    const table = { ...(yield* memoryTable.make), count: () => Effect.succeed(counts) }
    yield* table.insert("payroll", 0)
    yield* table.change("payroll", { phase: "running", total: 1_023 }, {})
    const progress = yield* operate.make(table).status("payroll")
    assert.deepInclude(progress, { notStarted: 1, creating: 10, pending: 20, ended: 992 })
    const summary = yield* operate.summaryOf(table, "payroll", 993)
    assert.deepStrictEqual(summary, { total: 993, notStarted: 1, ...ends })
  })
)

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
