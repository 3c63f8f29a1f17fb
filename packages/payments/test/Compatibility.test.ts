/**
 * Omissions by the service do not break the client. `sandbox/test/ForwardCompatibility.test.ts` tests additions.
 */
import { assert, describe, it } from "@effect/vitest"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Intents from "./utils/Intents.js"

const shapes = [
  ["read", PaymentIntent.PaymentIntent, Intents.read],
  ["created", PaymentIntent.CreatedPaymentIntent, Intents.created]
] as const

const needed = ["id", "status", "amount", "currency"]

for (const [name, schema, whole] of shapes) {
  const decode = Schema.decodeUnknownSync<unknown, unknown>(
    schema as Schema.Schema<unknown, unknown>
  )

  describe(`the schema of a payment intent as ${name}`, () => {
    it("keeps every documented member, digit for digit", () => {
      assert.deepStrictEqual(decode(whole), whole)
    })

    for (const field of Object.keys(whole).filter((field) => !needed.includes(field))) {
      it(`accepts a missing ${field}`, () => {
        const { [field]: _, ...rest } = whole as Record<string, unknown>
        assert.deepStrictEqual(decode(rest), rest)
      })
    }

    for (const field of needed) {
      it(`rejects a missing ${field}`, () => {
        const { [field]: _, ...rest } = whole as Record<string, unknown>
        assert.throws(() => decode(rest))
        assert.throws(() => decode({ ...whole, [field]: null }))
      })
    }

    for (const [field, value] of [
      ["amount", 1500],
      ["amount", "1.5e3"],
      ["created_at", 1769860800],
      ["country", "BEN"],
      ["metadata", "{}"],
      ["reference", ""]
    ] as const) {
      it(`rejects ${JSON.stringify(value)} for ${field}`, () => {
        assert.throws(() => decode({ ...whole, [field]: value }))
      })
    }
  })
}

describe("nulls", () => {
  it("are accepted for optional members", () => {
    for (const field of ["metadata", "updated_at", "description", "expires_at"]) {
      const members = { ...Intents.created, [field]: null }
      assert.deepStrictEqual<unknown>(
        Schema.decodeUnknownSync(PaymentIntent.CreatedPaymentIntent)(members),
        members
      )
    }
  })

  Test.effect("and missing optional members do not fail a create", function* () {
    const least = { id: Intents.id, status: "PENDING", amount: "1500", currency: "XOF" }
    const { payments } = yield* Intents.make([Intents.answer(least, 201)])
    assert.deepStrictEqual<unknown>(
      yield* payments.create(Intents.request, { key: Intents.key }),
      least
    )
  })

  Test.effect("in required members make a create fail with AppliedUnreadable", function* () {
    const { payments, received } = yield* Intents.make([
      Intents.answer({ ...Intents.created, status: null }, 201)
    ])
    const error = yield* Effect.flip(payments.create(Intents.request, { key: Intents.key }))
    assert(error._tag === "AppliedUnreadable")
    assert.strictEqual(error.id, Intents.id)
    assert.strictEqual(error.reference, "PI-0042")
    assert.deepStrictEqual(FakeService.fieldsOf(error), ["data.status"])
    assert.strictEqual(received.length, 1)
  })
})

describe("metadata", () => {
  Test.effect("is returned as sent, including __proto__", function* () {
    const metadata = JSON.parse(`{"__proto__":{"admin":true},"note":"é","list":[{"x":null}]}`)
    const { payments, received } = yield* Intents.make([
      ({ body }) =>
        Effect.sync(() => {
          const echoed = body.slice(body.indexOf(`"metadata":`), -1)
          return {
            status: 201,
            body: `{"success":true,"data":{"id":"${Intents.id}","status":"PENDING","amount":"1500","currency":"XOF",${echoed}}}`
          }
        })
    ])
    const intent = yield* payments.create({ ...Intents.request, metadata }, { key: Intents.key })
    assert.include(received[0]?.body, `"metadata":${JSON.stringify(metadata)}`)
    assert.strictEqual(JSON.stringify(intent.metadata), JSON.stringify(metadata))
    assert.notProperty({}, "admin")
  })
})
