/**
 * The client over the sandbox, whose controls make the refund of each test.
 */
import { assert } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Elapsed from "@manilla/test-support/Elapsed"
import { collected, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A refund of a collection, PENDING for 2 seconds. */
const refunded = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const { reference } = yield* collected("order")
  return yield* sandbox.refund({ transaction: reference, amount: "500.5", reason: "Too big" })
})

const test = tests()

test("get reads a refund by its reference, member for member", function* ({ refunds }) {
  const refund = yield* refunded
  assert.deepStrictEqual(yield* refunds.get(refund.reference), refund)
  assert.strictEqual(refund.amount, "500.5000")
  assert.strictEqual(refund.reason, "Too big")
})

test("awaitFinal reads until the refund has settled", function* ({ refunds }) {
  const { reference } = yield* refunded
  const settled = yield* Elapsed.during("1 minute", refunds.awaitFinal(reference))
  assert.strictEqual(settled.status, "COMPLETED")
  assert.strictEqual(settled.updated_at, "1970-01-01T00:00:02.000000Z")
})

tests({ settleAfter: "1 hour" })(
  "awaitFinal ends at its deadline with RefundStillPending, which carries the last read",
  function* ({ refunds }) {
    const refund = yield* refunded
    const wait = refunds.awaitFinal(refund.reference, { deadline: "10 seconds" })
    const error = yield* Elapsed.during("10 seconds", Effect.flip(wait))
    assert(error._tag === "RefundStillPending")
    assert.strictEqual(error.reference, refund.reference)
    assert.deepStrictEqual(error.last, refund)
  }
)

test("changes gives each status once, and ends with the settled one", function* ({ refunds }) {
  const { reference } = yield* refunded
  const changes = Stream.runCollect(refunds.changes(reference))
  const statuses = Array.from(yield* Elapsed.during("1 minute", changes), ({ status }) => status)
  assert.deepStrictEqual(statuses, ["PENDING", "COMPLETED"])
})
