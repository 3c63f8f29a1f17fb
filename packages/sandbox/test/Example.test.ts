// The program in README.md.
import { assert, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Exchange from "@manilla/sandbox/Exchange"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"

const test = Payments.layer.pipe(
  Layer.provideMerge(SandboxGateway.layer()),
  Layer.provideMerge(SandboxClient.layer())
)

it.effect("three lost responses make one payment", () =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const sandbox = yield* Sandbox.Sandbox
    yield* sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", count: 3 }))

    const creation = yield* Effect.fork(
      payments.create(
        {
          country: "BJ",
          amount: "1500",
          currency: "XOF",
          operation: "COLLECTION",
          payment_method: "mtn_momo",
          payer: { phone_number: "+2290100000000" }
        },
        { key: IdempotencyKey.derive("order", "42") }
      )
    )
    yield* TestClock.adjust("1 minute")
    const { id } = yield* Fiber.join(creation)

    assert.strictEqual((yield* payments.get(id)).status, "COMPLETED")
    assert.lengthOf(yield* sandbox.paymentIntents, 1)
    yield* Effect.logDebug(Exchange.timeline(yield* sandbox.exchanges))
  }).pipe(Effect.provide(test))
)
