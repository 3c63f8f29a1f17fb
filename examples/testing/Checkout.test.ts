/**
 * Tests of an application with test doubles of `Payments`.
 */
import { assert, it } from "@effect/vitest"
import { Errors } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Effect, Layer, Schema } from "effect"
import { checkout } from "./Checkout.js"

// From plain strings, as the service sends them.
const payment = Schema.decodeSync(PaymentIntent.PaymentIntent)({
  id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
  status: "COMPLETED",
  amount: "1500.0000",
  currency: "XOF"
})

const paid = Layer.mock(Payments.Payments, { collect: () => Effect.succeed(payment) })

const operation = "Payments.create"

const lost = Layer.mock(Payments.Payments, {
  collect: (_, { key }) =>
    Effect.fail(
      new Errors.OutcomeUnknown({
        operation,
        message: "all responses were lost",
        key,
        attempts: 5,
        cause: new Errors.TimeoutError({ operation, message: "no response", afterMillis: 30_000 })
      })
    )
})

it.effect("is paid", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* checkout("42"), "paid")
  }).pipe(Effect.provide(paid))
)

it.effect("keeps the key of a payment whose outcome is unknown", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* checkout("42"), "repeat later, with the key order:42")
  }).pipe(Effect.provide(lost))
)
