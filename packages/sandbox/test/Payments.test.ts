import { assert, describe } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Identifier from "@manilla/core/Identifier"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { collected, collection, key, layer, tests } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { decodeFailure, sendAuthorised } from "./utils/harness.js"

const test = tests()
const lenient = tests({ lenient: true })

const decodeObject = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({
      data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
      meta: Schema.Struct({ correlation_id: Schema.String })
    })
  )
)

const createRaw = (headers: Readonly<Record<string, string>>, body: unknown = collection) =>
  sendAuthorised("/payments", {
    method: "POST",
    headers: { "idempotency-key": key, ...headers },
    body
  })

describe("a payment intent", () => {
  test("is PENDING until the settle time and COMPLETED after it", function* ({ payments }) {
    const created = yield* payments.create(collection, { key })
    assert.strictEqual(created.status, "PENDING")

    yield* TestClock.adjust("1999 millis")
    const before = yield* payments.get(created.id)
    assert.strictEqual(before.status, "PENDING")
    assert.strictEqual(before.updated_at, "1970-01-01T00:00:00.000000Z")

    yield* TestClock.adjust("1 millis")
    const after = yield* payments.get(created.id)
    assert.strictEqual(after.status, "COMPLETED")
    assert.strictEqual(after.updated_at, "1970-01-01T00:00:02.000000Z")

    yield* TestClock.adjust("1 day")
    assert.deepStrictEqual(yield* payments.get(created.id), after)
  })

  for (const [operation, count] of [
    ["COLLECTION", 1],
    ["DEPOSIT", 1],
    ["PAYOUT", 0],
    ["WITHDRAWAL", 0]
  ] as const) {
    lenient(`for a ${operation} becomes ${count} transactions`, function* ({ payments, sandbox }) {
      const { id } = yield* payments.create({ ...collection, operation }, { key })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* payments.get(id)).status, "COMPLETED")
      assert.lengthOf(yield* sandbox.transactions, count)
    })
  }

  tests({
    wallets: ["5", "7"].map((balance) => ({
      currency: Currency.Currency.make("XOF"),
      balance: Amount.make(balance)
    }))
  })("is paid into the first wallet of its currency", function* ({ sandbox }) {
    yield* collected("order")
    const wallets = yield* sandbox.wallets
    const funds = wallets.map(({ available }) => available)
    assert.deepStrictEqual(funds, ["1482.5000", "7.0000"])
  })

  tests({ settleAfter: "1 hour" })(
    "settles after settleAfter, and with the given status",
    function* ({ payments, sandbox }) {
      const { id } = yield* payments.create(collection, { key })
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* payments.get(id)).status, "PENDING")
      yield* sandbox.settle({ resource: id, status: "FAILED" })
      assert.strictEqual((yield* payments.get(id)).status, "FAILED")
    }
  )

  test("has the complete create and read shapes", function* () {
    const created = yield* createRaw(
      {},
      { ...collection, amount: "12.5", expires_at: "2030-01-31T12:00:00.1234567+01:00" }
    )
    assert.strictEqual(created.status, 201)
    const { data } = decodeObject(created.text)
    assert.deepStrictEqual(Object.keys(data).sort(), [
      "account_id",
      "amount",
      "application_id",
      "country",
      "created_at",
      "currency",
      "description",
      "environment",
      "expires_at",
      "id",
      "metadata",
      "operation",
      "payment_method",
      "reference",
      "status",
      "updated_at"
    ])
    assert.strictEqual(data["amount"], "12.5000")
    assert.strictEqual(data["description"], null)
    assert.strictEqual(data["expires_at"], "2030-01-31T11:00:00.123456Z")
    assert.match(String(data["reference"]), /^PAY-[A-Z0-9]{12}$/)
    assert.isTrue(Schema.is(Identifier.Uuid)(data["account_id"]))

    const read = yield* sendAuthorised(`/payments/${String(data["id"])}`, {})
    const { account_id, application_id, description, expires_at, ...readShape } = data
    assert.isDefined(account_id ?? application_id ?? description ?? expires_at)
    assert.deepStrictEqual(decodeObject(read.text).data, readShape)
  })

  test("echoes the correlation id, or generates one", function* () {
    const given = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b"
    const echoed = yield* createRaw({ "x-correlation-id": given })
    assert.strictEqual(decodeObject(echoed.text).meta.correlation_id, given)

    const own = decodeObject((yield* createRaw({})).text).meta.correlation_id
    assert.notStrictEqual(own, given)
    assert.isTrue(Schema.is(Identifier.CorrelationId)(own))

    const refused = yield* sendAuthorised("/nowhere", { headers: { "x-correlation-id": given } })
    assert.strictEqual(decodeFailure(refused.text).meta?.correlation_id, given)
  })
})

describe("an idempotency key", () => {
  test("is refused for another body, however similar", function* ({ payments, sandbox }) {
    yield* payments.create({ ...collection, metadata: { a: 1, b: [{ c: 2 }] } }, { key })
    const others = [
      { ...collection, metadata: { a: 1, b: [{ c: 3 }] } },
      { ...collection, amount: "1500.0", metadata: { a: 1, b: [{ c: 2 }] } },
      { ...collection, payer: { phone_number: "+229" }, metadata: { a: 1, b: [{ c: 2 }] } }
    ]
    for (const other of others) {
      const error = yield* Effect.flip(payments.create(other, { key }))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.isTrue("code" in error && error.code === "IDEMPOTENCY_KEY_REUSED")
    }
    // The order of members does not matter.
    yield* payments.create({ metadata: { b: [{ c: 2 }], a: 1 }, ...collection }, { key })
    assert.lengthOf(yield* sandbox.paymentIntents, 1)
  })

  test("is not used up by a refused request", function* ({ payments }) {
    const unavailable = {
      ...collection,
      country: "CI",
      operation: "DEPOSIT",
      payment_method: "moov_money"
    } as const
    const error = yield* Effect.flip(payments.create(unavailable, { key }))
    assert.isTrue("code" in error && error.code === "SERVICE_UNAVAILABLE")
    assert.strictEqual((yield* payments.create(collection, { key })).status, "PENDING")
  })
})

describe("the catalogue", () => {
  test("lists available and unavailable services", function* ({ catalogue }) {
    const { environment, services } = yield* catalogue.list()
    assert.strictEqual(environment, "SANDBOX")
    assert.isTrue(services.some(({ available }) => !available))
    const wanted = { country: "BJ", currency: "XOF", operation: "COLLECTION" } as const
    const methods = (yield* catalogue.available(wanted)).map((row) => row.payment_method)
    assert.deepStrictEqual(methods, ["mtn_momo", "moov_money", "celtiis_cash"])
  })

  tests({ services: [] })("can be configured", function* ({ catalogue }) {
    assert.deepStrictEqual((yield* catalogue.list()).services, [])
  })
})

describe("the seed", () => {
  const run = (seed: string) =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const { client_id: clientId } = yield* (yield* Sandbox.Sandbox).credentials
      const { id, reference } = yield* payments.create(collection, { key })
      return { clientId, id, reference }
    }).pipe(Effect.provide(layer({ seed })))

  Test.effect("determines all identifiers", function* () {
    const first = yield* run("a seed")
    assert.deepStrictEqual(yield* run("a seed"), first)
    assert.notDeepEqual(yield* run("another"), first)
  })
})
