import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as ControlApi from "@manilla/sandbox/ControlApi"
import * as Scenario from "@manilla/sandbox/Scenario"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import {
  collection,
  layer,
  link,
  payoutFrom,
  settled,
  walletIn,
  tests
} from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { decodeFailure, send, sendAuthorised } from "./utils/harness.js"

const test = tests()

const named = (name: string) => Scenario.named(name) ?? assert.fail(name)

const phoneOf = (name: string) => Scenario.phoneNumber(named(name))

const keyOf = (name: string) => IdempotencyKey.derive("scenario", name)

const pay = (name: string, changes: Partial<typeof collection>) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.create({ ...collection, ...changes }, { key: keyOf(name) })
  )

/** A payment to the magic number of a scenario. */
const payBy = (name: string) => pay(name, { payer: { phone_number: phoneOf(name) } })

const createRaw = (headers: Readonly<Record<string, string>>, body: unknown = collection) =>
  sendAuthorised("/payments", {
    method: "POST",
    headers: { "idempotency-key": "raw", ...headers },
    body
  })

const statuses = Effect.flatMap(Sandbox.Sandbox, ({ paymentIntents }) =>
  Effect.map(paymentIntents, (all) => all.map(({ status }) => status))
)

describe("scenarios", () => {
  it("have different names and codes, and are at least 40", () => {
    const { scenarios } = Scenario
    assert.isAtLeast(scenarios.length, 40)
    assert.strictEqual(new Set(scenarios.map(({ name }) => name)).size, scenarios.length)
    assert.strictEqual(new Set(scenarios.map(({ code }) => code)).size, scenarios.length)
  })

  test("of magic phone numbers settle at once, late, never or otherwise", function* ({ sandbox }) {
    for (const name of ["completes_at_once", "completes_late", "stays_pending", "fails"]) {
      assert.strictEqual((yield* payBy(name)).status, "PENDING")
    }
    yield* payBy("unknown_status")
    assert.deepStrictEqual(yield* statuses, [
      "COMPLETED",
      "PENDING",
      "PENDING",
      "PENDING",
      "PENDING"
    ])
    yield* settled
    const [first, , ...rest] = yield* statuses
    assert.deepStrictEqual([first, ...rest], ["COMPLETED", "PENDING", "FAILED", "UNDER_REVIEW"])
    yield* sandbox.advance({ seconds: 2_592_000 })
    assert.deepStrictEqual(yield* statuses, [first, "COMPLETED", ...rest])
    assert.lengthOf(yield* sandbox.transactions, 2)
  })

  test("of magic amounts apply to payments, payouts and links", function* ({
    sandbox,
    payouts,
    paymentLinks: links
  }) {
    const refused = yield* Effect.flip(pay("a", { amount: Scenario.amount(named("otp_required")) }))
    assert.strictEqual(refused._tag, "UnprocessableError")
    const amount = Scenario.amount(named("fails_at_once"))
    yield* pay("both", { amount, payer: { phone_number: phoneOf("completes_at_once") } })
    assert.deepStrictEqual(yield* statuses, ["COMPLETED"])
    const before = yield* walletIn("XOF")
    const fails = payoutFrom(before, Scenario.amount(named("fails")))
    const { reference } = yield* payouts.create(fails, { key: keyOf("payout") })
    yield* settled
    assert.strictEqual((yield* payouts.get(reference)).status, "FAILED")
    assert.deepStrictEqual(yield* walletIn("XOF"), before)
    for (const [name, status] of [
      ["link_used", "INACTIVE"],
      ["link_expired", "EXPIRED"]
    ] as const) {
      const made = yield* links.create({ ...link, amount: Scenario.amount(named(name)) })
      assert.strictEqual(made.status, "ACTIVE")
      assert.strictEqual((yield* links.get(made.id)).status, status)
      assert.strictEqual(
        (yield* Effect.flip(sandbox.payLink({ id: made.id }))).code,
        "LINK_NOT_ACTIVE"
      )
    }
    const { id } = yield* links.create(link)
    const unpaid = yield* Effect.flip(
      sandbox.payLink({ id, phone_number: phoneOf("insufficient_funds") })
    )
    assert.strictEqual(unpaid.code, "INSUFFICIENT_FUNDS")
    yield* sandbox.payLink({ id, phone_number: "+2290100000000" })
  })

  test("that a key meets once are met by each key and scenario", function* ({
    paymentLinks: links
  }) {
    const met: Array<number> = []
    for (const key of ["one", "another"]) {
      for (const scenario of ["conflict", "request_timeout"]) {
        const headers = { "idempotency-key": key, "x-sandbox-scenario": scenario }
        met.push((yield* createRaw(headers)).status, (yield* createRaw(headers)).status)
      }
    }
    assert.deepStrictEqual(met, [409, 201, 408, 201, 409, 201, 408, 201])
    assert.lengthOf(yield* statuses, 2)
    // Requests without a key meet it each time.
    const create = links.create({ ...link, amount: Scenario.amount(named("conflict")) })
    for (const end of [yield* Effect.flip(create), yield* Effect.flip(create)]) {
      assert.strictEqual(end._tag, "UnkeyedOutcomeUnknown")
    }
  })

  test("in the queue wait for one of their operations", function* ({
    sandbox,
    paymentLinks: links
  }) {
    yield* sandbox.faults.add(Scenario.request("link_used"))
    yield* pay("another", {})
    const { id } = yield* links.create(link)
    assert.strictEqual((yield* links.get(id)).status, "INACTIVE")
  })

  test("of a header apply to any client; an unknown one is refused", function* ({ sandbox }) {
    assert.strictEqual((yield* createRaw({ "x-sandbox-scenario": "fails_at_once" })).status, 201)
    assert.deepStrictEqual(yield* statuses, ["FAILED"])
    const { status, text } = yield* createRaw({ "x-sandbox-scenario": "explodes" })
    assert.strictEqual(status, 422)
    assert.include(text, "stays_pending")
    assert.strictEqual((yield* createRaw({ "x-sandbox-scenario": "link_used" })).status, 422)
    const latest = (yield* sandbox.exchanges).map(({ fault }) => fault?.name)
    assert.include(latest, "fails_at_once")
  })

  test("of a fault rule apply only to the operations that have them", function* ({ sandbox }) {
    const { baseUrl } = sandbox
    const added = yield* send(`${new URL(baseUrl).origin}${ControlApi.root}/faults`, {
      method: "POST",
      body: { fault: "scenario", scenario: "insufficient_funds" }
    })
    assert.strictEqual(added.status, 201)
    const refused = yield* Effect.flip(pay("ruled", {}))
    assert.strictEqual(refused._tag, "UnprocessableError")
    yield* pay("ruled", {})
    assert.lengthOf(yield* sandbox.faults.pending, 0)
  })

  Test.effect("with an unlisted magic value are refused by a strict sandbox", function* () {
    const body = { ...collection, payer: { phone_number: "+999123" } }
    // A price with the service's own four decimals is not magic.
    const price = { ...collection, amount: "999.9900" }
    const usual = yield* createRaw({}, price).pipe(Effect.provide(layer()))
    assert.strictEqual(usual.status, 201)
    const accepted = yield* createRaw({}, body).pipe(Effect.provide(layer({ lenient: true })))
    assert.strictEqual(accepted.status, 201)
    for (const changed of [
      body,
      { ...collection, amount: "999.9999" },
      // Listed, but for payment links.
      { ...collection, amount: Scenario.amount(named("link_used")) }
    ]) {
      const { status, text } = yield* createRaw({}, changed).pipe(Effect.provide(layer()))
      assert.strictEqual(status, 422)
      assert.strictEqual(decodeFailure(text).data.error.code, "UNLISTED_MAGIC_VALUE")
    }
  })

  // Every scenario, by the client: nothing is paid twice, and a payment is known whatever its response was.
  for (const scenario of Scenario.scenarios.filter((one) =>
    Scenario.appliesTo(one, "Payments.create")
  )) {
    test(`${scenario.name}: a payment happens at most once`, function* ({ sandbox }) {
      const fiber = yield* Effect.fork(Effect.exit(payBy(scenario.name)))
      yield* TestClock.adjust("2 hours")
      const exit = yield* Fiber.join(fiber)
      const made = yield* sandbox.paymentIntents
      assert.isAtMost(made.length, 1)
      if (Exit.isSuccess(exit)) {
        const ids = made.map(({ id }) => id)
        assert.deepStrictEqual(ids, [exit.value.id])
      } else if (made.length > 0) {
        const error = yield* Effect.flip(exit)
        assert.include(["OutcomeUnknown", "AppliedUnreadable"], error._tag)
      }
    })
  }
})
