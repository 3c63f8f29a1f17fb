/**
 * Mismatched responses: one with a different amount, currency, beneficiary or key than the request is
 * about another operation. A proxy mixed up its connections, or the key was used before.
 */
import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as Operation from "@manilla/core/Operation"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { cardFrom, collection, plain, tests } from "@manilla/test-support/Sandboxed"
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
  test("is rejected, and a retry with its key is right", function* ({ payments, sandbox }) {
    const other = yield* payments.create({ ...collection, amount: "9000" }, { key: first })
    yield* answerWith("Payments.create", other)
    const created = yield* atOnce(payments.create(collection, { key: second }))
    assert.strictEqual(created.amount, "1500.0000")
    assert.strictEqual((yield* sandbox.paymentIntents).length, 2)
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
        const fields = error.cause.issues.map(({ field }) => field)
        assert.deepStrictEqual(fields, [member])
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
    test(`is AppliedUnreadable when it repeats all compared members${how}`, function* ({
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
    test(`is rejected when it ${what}, and a retry is right`, function* ({ payments, sandbox }) {
      yield* answerWith("Payments.create", data)
      const created = yield* atOnce(payments.create(collection, { key: first }))
      assert.notStrictEqual(created.id, id)
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
    })
  }
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
