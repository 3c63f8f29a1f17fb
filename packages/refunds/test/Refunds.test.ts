/**
 * The client over the sandbox. The interface shows no operation that creates a refund, so each test
 * creates it with the sandbox's controls.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Refund from "@manilla/refunds/Refund"
import * as Refunds from "@manilla/refunds/Refunds"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { codeOf, collected, layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"

/** A refund of a collection, PENDING for 2 seconds. */
const refunded = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const { reference } = yield* collected("order")
  return yield* sandbox.refund({ transaction: reference, amount: "500.5", reason: "Too big" })
})

describe("get", () => {
  it.effect("reads a refund by its reference, member for member", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const refund = yield* refunded
      assert.deepStrictEqual(yield* refunds.get(refund.reference), refund)
      assert.strictEqual(refund.amount, "500.5000")
      assert.strictEqual(refund.reason, "Too big")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("fails with NotFoundError for a reference that does not exist", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const error = yield* Effect.flip(refunds.get(Refund.makeReference("RFD-NONE")))
      assert.strictEqual(error._tag, "NotFoundError")
      assert.strictEqual(codeOf(error), "NOT_FOUND")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("reads again after a lost answer: a read moves nothing", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { faults } = yield* Sandbox.Sandbox
      const { reference } = yield* refunded
      yield* faults.add(Fault.dropAfter({ operation: "Refunds.get" }))
      const reading = yield* Effect.fork(refunds.get(reference))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(reading)).reference, reference)
    }).pipe(Effect.provide(layer()))
  )
})

describe("awaitFinal", () => {
  it.effect("reads until the refund has settled", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { reference } = yield* refunded
      const waiting = yield* Effect.fork(refunds.awaitFinal(reference))
      yield* TestClock.adjust("1 minute")
      const settled = yield* Fiber.join(waiting)
      assert.strictEqual(settled.status, "COMPLETED")
      assert.strictEqual(settled.updated_at, "1970-01-01T00:00:02.000000Z")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("ends at its deadline with RefundStillPending, which carries the last read", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const refund = yield* refunded
      const waiting = yield* refunds
        .awaitFinal(refund.reference, { deadline: "10 seconds" })
        .pipe(Effect.flip, Effect.fork)
      yield* TestClock.adjust("10 seconds")
      const error = yield* Fiber.join(waiting)
      assert(error._tag === "RefundStillPending")
      assert.strictEqual(error.reference, refund.reference)
      assert.deepStrictEqual(error.last, refund)
    }).pipe(Effect.provide(layer({ settleAfter: "1 hour" })))
  )
})

describe("changes", () => {
  it.effect("gives each status once, and ends with the settled one", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds.Refunds
      const { reference } = yield* refunded
      const watching = yield* Effect.fork(Stream.runCollect(refunds.changes(reference)))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        Array.from(yield* Fiber.join(watching), ({ status }) => status),
        ["PENDING", "COMPLETED"]
      )
    }).pipe(Effect.provide(layer()))
  )
})
