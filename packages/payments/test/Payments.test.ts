/**
 * The client over the sandbox, end to end.
 */
import { assert } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Elapsed from "@manilla/test-support/Elapsed"
import { collection, key, tests } from "@manilla/test-support/Sandboxed"

const test = tests()
const { operation: _, ...request } = collection

for (const [method, operation] of [
  ["collect", "COLLECTION"],
  ["deposit", "DEPOSIT"]
] as const) {
  test(`${method} creates a ${operation} and waits for its end`, function* ({ payments, sandbox }) {
    // The first response is lost. The retry with the same key finds the same payment.
    yield* sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create" }))
    const settled = yield* Elapsed.during("1 minute", payments[method](request, { key }))
    assert.strictEqual(settled.status, "COMPLETED")
    const made = (yield* sandbox.paymentIntents).map((intent) => [intent.id, intent.operation])
    assert.deepStrictEqual(made, [[settled.id, operation]])
  })
}
