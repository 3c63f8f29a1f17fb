/**
 * The client over the sandbox, end to end.
 */
import { assert, describe, it } from "@effect/vitest"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { codeOf, collection, key, layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"

const { operation: _, ...request } = collection

for (const [method, operation] of [
  ["collect", "COLLECTION"],
  ["deposit", "DEPOSIT"]
] as const) {
  describe(method, () => {
    it.effect(`creates a ${operation}, and waits until it has settled`, () =>
      Effect.gen(function* () {
        const payments = yield* Payments.Payments
        const sandbox = yield* Sandbox.Sandbox
        // The first response is lost. The retry with the same key finds the same payment.
        yield* sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create" }))
        const paying = yield* Effect.fork(payments[method](request, { key }))
        yield* TestClock.adjust("1 minute")
        const settled = yield* Fiber.join(paying)
        assert.strictEqual(settled.status, "COMPLETED")
        assert.deepStrictEqual(
          (yield* sandbox.paymentIntents).map((intent) => [intent.id, intent.operation]),
          [[settled.id, operation]]
        )
      }).pipe(Effect.provide(layer()))
    )
  })
}

describe("get", () => {
  it.effect("fails with NotFoundError for an id that does not exist", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const unknown = PaymentIntent.makeId("00000000-0000-4000-8000-000000000000")
      const error = yield* Effect.flip(payments.get(unknown))
      assert.strictEqual(error._tag, "NotFoundError")
      assert.strictEqual(codeOf(error), "NOT_FOUND")
    }).pipe(Effect.provide(layer()))
  )
})
