/**
 * The example programs under faults.
 */
import { assert, describe } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { layer, phone, walletIn } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Salaries from "../../../examples/payroll/Salaries.js"
import * as Timeline from "../../../examples/support/Timeline.js"

const operation = "Payouts.create"

const employee = {
  employee: "E-1",
  name: "Awa",
  phone,
  payment_method: "mtn_momo",
  country: "BJ",
  currency: "XOF",
  amount: "700"
} as const

/** The result of one employee under these faults. */
const paidUnder = (...faults: ReadonlyArray<Fault.Fault>) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    for (const fault of faults) yield* sandbox.faults.add(fault)
    const wallet = yield* walletIn("XOF")
    const fiber = yield* Effect.fork(Salaries.payAll([employee], "2026-11", wallet.id))
    yield* TestClock.adjust("3 hours")
    const [result] = yield* Fiber.join(fiber)
    return { result, payouts: yield* sandbox.payouts, exchanges: yield* sandbox.exchanges }
  }).pipe(
    Effect.provideService(Timeline.Timeline, { startMillis: 0 }),
    quietly,
    Effect.provide(layer())
  )

const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Console.consoleWith((loud) => Effect.withConsole(effect, { ...loud, log: () => Effect.void }))

/** Every create gets a response about another employee's payout. */
const anotherPayout = Fault.body(
  JSON.stringify({
    success: true,
    data: {
      id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
      reference: "PYT-OTHER",
      amount: "9000.0000",
      currency: "XOF",
      destination: phone,
      status: "COMPLETED"
    }
  }),
  { operation, count: 10 }
)

describe("the payroll", () => {
  Test.effect("sets an employee aside when another payout has the key", function* () {
    const { exchanges, result } = yield* paidUnder(anotherPayout)
    assert(result?.is === "set aside")
    assert.include(result.why, "PYT-OTHER")
    assert.include(result.why, "amount")
    assert.include(result.why, "unknown")
    const sent = exchanges.filter((exchange) => exchange.operation === operation)
    assert.lengthOf(sent, 2)
  })

  Test.effect("pays once when responses are lost", function* () {
    const { result, payouts } = yield* paidUnder(Fault.dropAfter({ operation, count: 7 }))
    assert.strictEqual(result?.is, "paid")
    assert.lengthOf(payouts, 1)
  })

  Test.effect("keeps an unknown outcome unknown after a later refusal", function* () {
    const { result, payouts } = yield* paidUnder(
      Fault.dropAfter({ operation, count: 5 }),
      Fault.status(422, { operation })
    )
    assert.lengthOf(payouts, 1)
    assert(result?.is === "set aside")
    assert.include(result.why, "OutcomeUnknown")
    assert.include(result.why, "may have been made")
  })

  Test.effect("makes no claim about earlier runs when it is refused", function* () {
    const { result } = yield* paidUnder(Fault.status(422, { operation }))
    assert(result?.is === "set aside")
    assert.include(result.why, "UnprocessableError")
    assert.include(result.why, "an earlier run")
  })

  Test.effect("reports a possible payout while the outcome is unknown", function* () {
    const { result, payouts } = yield* paidUnder(
      Fault.dropAfter({ operation, count: 5 }),
      Fault.status(429, { operation, count: 40 })
    )
    assert.lengthOf(payouts, 1)
    assert(result?.is === "open")
    assert.include(result.why, "OutcomeUnknown")
  })

  Test.effect("waits for an existing payout without sending it again", function* () {
    const { exchanges, result } = yield* paidUnder(
      Fault.status(403, { operation: "Payouts.get", count: 3 })
    )
    assert.strictEqual(result?.is, "paid")
    const sent = exchanges.filter((exchange) => exchange.operation === operation)
    assert.lengthOf(sent, 1)
  })
})
