import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { collected, collection, key, layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { decodeFailure, sendAuthorised } from "./utils/harness.js"

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
  it.effect("is PENDING until the settle time and COMPLETED after it", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
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
    }).pipe(Effect.provide(layer()))
  )

  for (const [operation, count] of [
    ["COLLECTION", 1],
    ["DEPOSIT", 1],
    ["PAYOUT", 0]
  ] as const) {
    it.effect(`for a ${operation} becomes ${count} transactions`, () =>
      Effect.gen(function* () {
        const payments = yield* Payments.Payments
        const { id } = yield* payments.create({ ...collection, operation }, { key })
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* payments.get(id)).status, "COMPLETED")
        assert.lengthOf(yield* (yield* Sandbox.Sandbox).transactions, count)
      }).pipe(Effect.provide(layer()))
    )
  }

  it.effect("settles before those of the same moment that were created later", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const create = (name: string) =>
        payments.create(collection, { key: IdempotencyKey.derive(name) })
      const created = [yield* create("a"), yield* create("b"), yield* create("c")]
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual<unknown>(
        (yield* (yield* Sandbox.Sandbox).transactions).map(({ source }) => source),
        created.map(({ reference }) => reference)
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is paid into the first wallet of its currency", () =>
    Effect.gen(function* () {
      yield* collected("order")
      const wallets = yield* (yield* Sandbox.Sandbox).wallets
      assert.deepStrictEqual(
        wallets.map(({ available }) => available),
        ["1482.5000", "7.0000"]
      )
    }).pipe(
      Effect.provide(
        layer({
          wallets: ["5", "7"].map((balance) => ({
            currency: Currency.Currency.make("XOF"),
            balance: Amount.make(balance)
          }))
        })
      )
    )
  )

  it.effect("settles after settleAfter, and with the given status", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      const { id } = yield* payments.create(collection, { key })
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* payments.get(id)).status, "PENDING")
      yield* sandbox.settle({ resource: id, status: "FAILED" })
      assert.strictEqual((yield* payments.get(id)).status, "FAILED")
      const [unknown] = [PaymentIntent.makeId("00000000-0000-4000-8000-000000000000")]
      assert.strictEqual(
        (yield* Effect.flip(sandbox.settle({ resource: unknown }))).code,
        "NOT_FOUND"
      )
    }).pipe(Effect.provide(layer({ settleAfter: "1 hour" })))
  )

  it.effect("is not settled as PENDING", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      const created = yield* payments.create(collection, { key })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(
        (yield* Effect.flip(sandbox.settle({ resource: created.id, status: "PENDING" }))).code,
        "NOT_PENDING"
      )
      const { status, updated_at } = yield* payments.get(created.id)
      assert.deepStrictEqual([status, updated_at], ["PENDING", created.updated_at])
      yield* sandbox.settle({ resource: created.id })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("has the complete create and read shapes", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(layer()))
  )

  it.effect("echoes the correlation id, or generates one", () =>
    Effect.gen(function* () {
      const given = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b"
      const echoed = yield* createRaw({ "x-correlation-id": given })
      assert.strictEqual(decodeObject(echoed.text).meta.correlation_id, given)

      const own = decodeObject((yield* createRaw({})).text).meta.correlation_id
      assert.notStrictEqual(own, given)
      assert.isTrue(Schema.is(Identifier.CorrelationId)(own))

      const refused = yield* sendAuthorised("/nowhere", { headers: { "x-correlation-id": given } })
      assert.strictEqual(decodeFailure(refused.text).meta?.correlation_id, given)
    }).pipe(Effect.provide(layer()))
  )
})

describe("an idempotency key", () => {
  it.effect("returns the same intent and the first response again", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      const first = yield* payments.create(collection, { key })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* payments.create(collection, { key }), first)
      assert.strictEqual((yield* payments.get(first.id)).status, "COMPLETED")
      const stored = yield* sandbox.paymentIntents
      assert.deepStrictEqual(
        stored.map(({ id, idempotency_key, status }) => ({ id, idempotency_key, status })),
        [{ id: first.id, idempotency_key: key, status: "COMPLETED" }]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("makes another intent for another operation", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const first = yield* payments.create(collection, { key })
      const other = IdempotencyKey.make("order-43")
      assert.notStrictEqual((yield* payments.create(collection, { key: other })).id, first.id)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is refused for a different body, however small the difference", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
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
    }).pipe(Effect.provide(layer()))
  )

  it.effect("makes one intent from 50 concurrent requests", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      const created = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => payments.create(collection, { key }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(created.map(({ id }) => id)).size, 1)
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
      const creations = (yield* sandbox.exchanges).filter(
        ({ operation }) => operation === "Payments.create"
      )
      assert.lengthOf(creations, 50)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is not used up by a refused request", () =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const unavailable = {
        ...collection,
        country: "CI",
        operation: "DEPOSIT",
        payment_method: "moov_money"
      } as const
      const error = yield* Effect.flip(payments.create(unavailable, { key }))
      assert.isTrue("code" in error && error.code === "SERVICE_UNAVAILABLE")
      assert.strictEqual((yield* payments.create(collection, { key })).status, "PENDING")
    }).pipe(Effect.provide(layer()))
  )
})

describe("the catalogue", () => {
  it.effect("lists available and unavailable services", () =>
    Effect.gen(function* () {
      const catalogue = yield* Catalogue.Catalogue
      const { environment, services } = yield* catalogue.list()
      assert.strictEqual(environment, "SANDBOX")
      assert.isTrue(services.some(({ available }) => !available))
      const wanted = { country: "BJ", currency: "XOF", operation: "COLLECTION" } as const
      const methods = (yield* catalogue.available(wanted)).map((row) => row.payment_method)
      assert.deepStrictEqual(methods, ["mtn_momo", "moov_money", "celtiis_cash"])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("can be configured", () =>
    Effect.gen(function* () {
      const catalogue = yield* Catalogue.Catalogue
      assert.deepStrictEqual((yield* catalogue.list()).services, [])
    }).pipe(Effect.provide(layer({ services: [] })))
  )
})

describe("the seed", () => {
  const run = (seed: string) =>
    Effect.gen(function* () {
      const payments = yield* Payments.Payments
      const { client_id: clientId } = yield* (yield* Sandbox.Sandbox).credentials
      const { id, reference } = yield* payments.create(collection, { key })
      return { clientId, id, reference }
    }).pipe(Effect.provide(layer({ seed })))

  it.effect("determines all identifiers", () =>
    Effect.gen(function* () {
      const first = yield* run("a seed")
      assert.deepStrictEqual(yield* run("a seed"), first)
      assert.notDeepEqual(yield* run("another"), first)
    })
  )
})
