/**
 * Mismatched responses: one with a different amount, currency, beneficiary or key than the request is
 * about another operation. A proxy mixed up its connections, or the key was used before.
 */
import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import {
  cardFrom,
  collection,
  payoutFrom,
  plain,
  walletIn,
  tests
} from "@manilla/test-support/Sandboxed"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const test = tests()

const [first, second] = [
  IdempotencyKey.derive("order", "1"),
  IdempotencyKey.derive("order", "2")
] as const

const enveloped = (data: unknown) =>
  JSON.stringify({ success: true, data, meta: { correlation_id: null } })

/** Responds to the next requests of an operation with data of another resource. */
const answerWith = (operation: Fault.OperationName, data: unknown, count = 1) =>
  Effect.flatMap(Sandbox.Sandbox, ({ faults }) =>
    faults.add(Fault.body(enveloped(data), { operation, count }))
  )

const atOnce = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

describe("a response about another payment", () => {
  test("is rejected, and a retry with the same key gets the right one", function* ({
    payments,
    sandbox
  }) {
    const other = yield* payments.create({ ...collection, amount: "9000" }, { key: first })
    yield* answerWith("Payments.create", other)
    const created = yield* atOnce(payments.create(collection, { key: second }))
    assert.strictEqual(created.amount, "1500.0000")
    assert.strictEqual((yield* sandbox.paymentIntents).length, 2)
  })

  tests({ lenient: true })(
    "fails with KeyReused when it is repeated, without another retry",
    function* ({ payments }) {
      const other = yield* payments.create(
        { ...collection, amount: "9000", currency: "XAF" },
        { key: first }
      )
      yield* answerWith("Payments.create", other, 10)
      const error = yield* atOnce(Effect.flip(payments.create(collection, { key: second })))
      assert(error._tag === "KeyReused")
      const { attempts, differs, id, key, reference } = error
      assert.deepStrictEqual(
        { attempts, differs, id, key, reference },
        {
          attempts: 2,
          differs: ["amount", "currency"],
          id: other.id,
          key: second,
          reference: other.reference
        }
      )
    }
  )

  test("leaves the outcome unknown when each response is a different payment", function* ({
    payments
  }) {
    const other = yield* payments.create({ ...collection, amount: "9000" }, { key: first })
    for (let i = 0; i < 5; i++) {
      const id = `3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c${String(i).padStart(2, "0")}`
      yield* answerWith("Payments.create", { ...other, id })
    }
    const error = yield* atOnce(Effect.flip(payments.create(collection, { key: second })))
    assert(error._tag === "OutcomeUnknown" && error.cause._tag === "MalformedResponseError")
    assert.strictEqual(error.attempts, 5)
    assert.strictEqual(error.cause.reason, "AnotherSubject")
  })

  test("is accepted when only the format of the amount differs", function* ({ payments }) {
    const created = yield* payments.create({ ...collection, amount: "1500.50" }, { key: first })
    assert.strictEqual(created.amount, "1500.5000")
  })
})

/** A value that each kind of comparison must reject. */
const others: Readonly<Record<Operation.ResponseCheck["as"], (value: string) => string>> = {
  amount: (value) => value.replace(/.$/, (digit) => (digit === "1" ? "2" : "1")),
  code: (value) => (value === "XAF" ? "EUR" : "XAF"),
  kind: (value) => (value === "COLLECTION" ? "DEPOSIT" : "COLLECTION"),
  phone: (value) => value.replace(/.$/, (digit) => (digit === "1" ? "2" : "1")),
  text: (value) => `${value}x`
}

/** A copy with another value for one member, and with redacted members as on the wire. */
const withAnother = (
  made: object,
  parent: string | undefined,
  { as, field, member = field }: Operation.ResponseCheck
) => {
  const data = Record.map(plain(made), (value) =>
    Redacted.isRedacted(value) ? Redacted.value(value) : value
  )
  const resource = parent === undefined ? data : data[parent]
  const value = Predicate.isRecord(resource) ? resource[member] : undefined
  if (!Predicate.isRecord(resource) || typeof value !== "string") {
    return assert.fail(`the response has no ${member}`)
  }
  const changed = { ...resource, [member]: others[as](value) }
  return parent === undefined ? changed : { ...data, [parent]: changed }
}

describe("a response that differs in one member is rejected", () => {
  for (const { name, operation, request, send } of writes.all) {
    const { checks = { members: [] }, replay } = operation

    it(`${name} compares at least one member`, () => {
      assert.isNotEmpty(checks.members)
    })

    for (const check of checks.members) {
      const member = check.member ?? check.field
      test(`${name}, ${member}`, function* () {
        const call = Effect.flatMap(request, (body) => send(body, first))
        yield* answerWith(name, withAnother(yield* call, checks.in, check), 10)
        const error = yield* atOnce(Effect.flip(call))
        if (replay._tag === "Keyed") {
          assert(error._tag === "KeyReused")
          assert.deepStrictEqual(error.differs, [member])
          return
        }
        assert(
          error._tag === "UnkeyedOutcomeUnknown" && error.cause._tag === "MalformedResponseError"
        )
        assert.strictEqual(error.cause.reason, "AnotherSubject")
        assert.deepStrictEqual(
          error.cause.issues.map(({ field }) => field),
          [member]
        )
      })
    }
  }
})

describe("an unreadable response", () => {
  const id = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
  const own = { id, amount: "1500.0000", currency: "XOF", operation: "COLLECTION" }

  for (const [how, data] of [
    ["", own],
    [", with megabytes of zeros", { ...own, amount: `1500.${"0".repeat(4_000_000)}` }]
  ] as const) {
    test(`fails with AppliedUnreadable when it repeats all compared members${how}`, function* ({
      payments
    }) {
      yield* answerWith("Payments.create", data)
      const error = yield* Effect.flip(payments.create(collection, { key: first }))
      assert(error._tag === "AppliedUnreadable")
      assert.strictEqual(error.id, id)
      assert.isBelow(error.message.length, 500)
    })
  }

  for (const [what, data] of [
    ["has only a common currency", { id, currency: "XOF" }],
    ["may be a refund of the same amount", { id, amount: "1500.0000", reason: null }],
    ["has another operation", { ...own, status: 7, operation: "DEPOSIT" }],
    ["has an invalid amount", { ...own, amount: "1 500" }],
    ["has a number for an amount", { ...own, amount: 99 }],
    ["has another amount, megabytes long", { ...own, amount: `1500.${"0".repeat(4_000_000)}1` }]
  ] as const) {
    test(`is rejected when it ${what}, and a retry with the same key gets the right one`, function* ({
      payments,
      sandbox
    }) {
      yield* answerWith("Payments.create", data)
      const created = yield* atOnce(payments.create(collection, { key: first }))
      assert.notStrictEqual(created.id, id)
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
    })
  }
})

describe("the beneficiary of a payout", () => {
  for (const [how, destination] of [
    ["in the eighth digit from the end", "+2290171234567"],
    ["and has 8 digits", "61234568"],
    ["and is written with separators", "+229 01-61.23.45.68"]
  ] as const) {
    test(`is rejected when it differs ${how}`, function* ({ payouts }) {
      const request = payoutFrom(yield* walletIn("XOF"))
      const made = yield* payouts.create(request, { key: first })
      yield* answerWith("Payouts.create", { ...made, destination }, 10)
      const error = yield* atOnce(Effect.flip(payouts.create(request, { key: first })))
      assert(error._tag === "KeyReused")
      assert.deepStrictEqual(error.differs, ["destination"])
      assert.notInclude(error.message, destination.slice(-8))
    })
  }

  for (const typed of [
    "+229  01 61 23 45 67",
    "+229 - 0161234567",
    "(+229)  0161234567",
    "0161234567."
  ]) {
    test(`is rejected in any format: ${typed}`, function* ({ payouts }) {
      const request = { ...payoutFrom(yield* walletIn("XOF")), destination: typed }
      const made = yield* payouts.create(request, { key: first })
      yield* answerWith("Payouts.create", { ...made, destination: "+2290199999999" }, 10)
      const error = yield* atOnce(Effect.flip(payouts.create(request, { key: first })))
      assert.strictEqual(error._tag, "KeyReused")
    })
  }

  for (const [how, destination] of [
    ["without the country prefix", "01 61 23 45 67"],
    ["in the old format of 8 digits", "61234567"],
    ["with separators", "(229) 01-61.23.45.67"],
    ["masked", "+22901****4567"],
    ["masked with dots", "+22901....4567"],
    ["masked with dashes", "+22901 -- -- 45 67"],
    ["masked with blanks", "+22901    4567"],
    ["masked at the end", "+229016123...."],
    ["with only the last digits", "4567"]
  ] as const) {
    test(`is accepted ${how}`, function* ({ payouts }) {
      const request = payoutFrom(yield* walletIn("XOF"))
      const made = yield* payouts.create(request, { key: first })
      yield* answerWith("Payouts.create", { ...made, destination })
      const again = yield* payouts.create(request, { key: first })
      assert.strictEqual(again.reference, made.reference)
    })
  }
})

test("a response about another payout is rejected", function* ({ payouts }) {
  const wallet = yield* walletIn("XOF")
  const other = yield* payouts.create(payoutFrom(wallet, "250"), { key: first })
  yield* answerWith("Payouts.create", other)
  const created = yield* atOnce(payouts.create(payoutFrom(wallet, "400"), { key: second }))
  assert.strictEqual(created.amount, "400.0000")
})

test("a response about another card is rejected, and the error names that card", function* ({
  cards,
  sandbox
}) {
  const request = yield* cardFrom()
  const other = yield* cards.issue(request, { key: first })
  yield* answerWith("Cards.issue", other, 10)
  const error = yield* atOnce(Effect.flip(cards.issue(request, { key: second })))
  assert(error._tag === "KeyReused")
  assert.deepStrictEqual(error.differs, ["issuance_reference"])
  assert.strictEqual(error.id, other.card.id)
  yield* sandbox.faults.clear
  const { card } = yield* cards.issue(request, { key: second })
  assert.notStrictEqual(card.id, other.card.id)
})

test("keys are case-sensitive", function* ({ cards }) {
  const request = yield* cardFrom()
  const other = yield* cards.issue(request, { key: IdempotencyKey.derive("card", "a") })
  yield* answerWith("Cards.issue", other)
  const { card } = yield* atOnce(cards.issue(request, { key: IdempotencyKey.derive("card", "A") }))
  assert.notStrictEqual(card.id, other.card.id)
})

tests({ lenient: true })("currencies are compared case-insensitively", function* ({ payments }) {
  const read = yield* payments.create(collection, { key: first })
  yield* answerWith("Payments.create", { ...read, currency: "XOF" })
  const created = yield* payments.create({ ...collection, currency: "xof" }, { key: second })
  assert.strictEqual(created.currency, "XOF")
})

test("a response about another link leaves the outcome unknown without a retry", function* ({
  paymentLinks: links
}) {
  const request = { amount: "500", currency: "XOF", country: "BJ" }
  const other = yield* links.create({ ...request, amount: "700" })
  yield* answerWith("PaymentLinks.create", other)
  const error = yield* Effect.flip(links.create(request))
  assert(error._tag === "UnkeyedOutcomeUnknown")
  assert.strictEqual(error.attempts, 1)
})

test("an unreadable response about a card names the id of the card", function* ({ cards }) {
  const id = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
  yield* answerWith("Cards.issue", {
    card: { id, issuance_reference: first, card_sequence: "the first" }
  })
  const error = yield* Effect.flip(cards.issue(yield* cardFrom(), { key: first }))
  assert(error._tag === "AppliedUnreadable")
  assert.strictEqual(error.id, id)
})
