/**
 * The body of POST /payments: every rule of interface section 4.1.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Identifier from "@manilla/core/Identifier"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Intents from "./utils/Intents.js"

const { creates, key, request } = Intents
const note = "\u{1f9fe}"

const create = (body: unknown, reaction: FakeService.Reaction = creates) =>
  Effect.gen(function* () {
    const { payments, received } = yield* Intents.make([reaction])
    const result = yield* Effect.either(payments.create(body as typeof request, { key }))
    return { result, received }
  })

const payer = (members: Record<string, unknown>) => ({ payer: { ...request.payer, ...members } })

describe("a payment intent", () => {
  Test.effect("is created with the key, the correlation id and the body", function* () {
    const { payments, received } = yield* Intents.make([creates])
    const correlationId = Identifier.makeCorrelationId("018f3f6e-7c1a-7def-8000-123456789abc")
    const intent = yield* payments.create(request, { key, correlationId })
    assert.deepStrictEqual<unknown>(intent, Intents.created)
    yield* payments.create(request, { key })
    assert.notProperty(received[1]?.headers, "x-correlation-id")
    const [{ body, headers, method, url }] = received as [FakeService.Received]
    assert.strictEqual(`${method} ${url}`, "POST https://service.invalid/api/v1/payments")
    assert.strictEqual(headers["idempotency-key"], key)
    assert.strictEqual(headers["x-correlation-id"], correlationId)
    assert.deepStrictEqual(JSON.parse(body), request)
  })

  Test.effect("reads each member of its payer once", function* () {
    let reads = 0
    const payer = {
      get phone_number() {
        return reads++ === 0 ? request.payer.phone_number : "another"
      }
    }
    const { received } = yield* create({ ...request, payer })
    assert.deepStrictEqual(JSON.parse(received[0]?.body ?? "").payer, request.payer)
    assert.strictEqual(reads, 1)
  })

  Test.effect("sends the members of a payer that is a class instance", function* () {
    class Payer {
      readonly phone_number = request.payer.phone_number
      toJSON() {
        return { phone_number: "+2290199999999" }
      }
    }
    const { received } = yield* create({ ...request, payer: new Payer() })
    assert.deepStrictEqual(JSON.parse(received[0]?.body ?? "").payer, {
      phone_number: request.payer.phone_number
    })
  })
})

Test.effect("a deposit is not taken for the collection that had its key", function* () {
  const { payments } = yield* Intents.make([Intents.answer(Intents.created, 201)])
  const deposit = payments.deposit(Intents.collectRequest, { key })
  const error = yield* Effect.flip(Elapsed.toTheEnd(deposit))
  assert(error._tag === "KeyReused", error._tag)
  assert.strictEqual(error.id, Intents.id)
  assert.deepStrictEqual(error.differs, ["operation"])
})

Test.effect("an error does not show payer data that the service echoes", function* () {
  const secrets = { phone_number: "+2290161234567", otp_code: "482190" }
  const { result } = yield* create(
    { ...request, ...payer(secrets) },
    FakeService.failure(
      422,
      {},
      {
        code: "C",
        message: `no ${secrets.phone_number}, no ${secrets.otp_code}`,
        details: secrets
      }
    )
  )
  assert(result._tag === "Left" && result.left._tag === "UnprocessableError")
  assert.notMatch(JSON.stringify(result.left), /61234567|482190/)
})

describe("a body is sent unchanged", () => {
  for (const [what, members] of [
    ["a whole amount", { amount: "0" }],
    ["4 decimals", { amount: "1500.1234" }],
    ["a method of 60 characters", { payment_method: note.repeat(60) }],
    ["a phone number of 32 characters", payer({ phone_number: "9".repeat(32) })],
    ["an OTP of 32 characters", payer({ otp_code: "9".repeat(32) })],
    ["a null OTP", payer({ otp_code: null })],
    ["French", payer({ lang: "fr" })],
    ["a description of 1000 characters", { description: note.repeat(1000) }],
    ["a null description", { description: null }],
    ["metadata", { metadata: { "": [1, null, { deep: "é" }] } }],
    ["empty metadata", { metadata: {} }],
    ["an expiry", { expires_at: "2030-01-31T12:00:00.000001+01:00" }],
    ["a null expiry", { expires_at: null }],
    ...[
      "COLLECTION",
      "DEPOSIT",
      "WITHDRAWAL",
      "REFUND",
      "TRANSFER",
      "PAYOUT",
      "REVERSAL",
      "FX_CONVERSION"
    ].map((operation) => [operation, { operation }] as const)
  ] as const) {
    Test.effect(`with ${what}`, function* () {
      const body = { ...request, ...members }
      const { received } = yield* create(body)
      assert.deepStrictEqual(JSON.parse(received[0]?.body ?? "null"), body)
    })
  }

  Test.effect("with the amount of a response", function* () {
    const amount = yield* Amount.toInput(Amount.Amount.make("1500.00000000"))
    const { received } = yield* create({ ...request, amount })
    assert.strictEqual(JSON.parse(received[0]?.body ?? "null").amount, "1500.0000")
  })
})

describe("a body is refused by the name of its invalid field", () => {
  // `sandbox/test/Violations.test.ts` violates each rule of the interface.
  for (const [field, what, body] of [
    ["payer", "a list", { ...request, payer: [] }],
    ["payer.lang", "null", { ...request, ...payer({ lang: null }) }],
    ["payer.name", "unknown", { ...request, ...payer({ name: "A" }) }],
    ["metadata", "null", { ...request, metadata: null }],
    ["metadata", "what JSON cannot say", { ...request, metadata: { a: undefined } }],
    ["expires_at", "a Date", { ...request, expires_at: new Date(0) }],
    ["callback_url", "unknown", { ...request, callback_url: "https://example.invalid" }]
  ] as const) {
    Test.effect(`${field}: ${what}`, function* () {
      const { received, result } = yield* create(body)
      assert(result._tag === "Left" && result.left._tag === "InvalidRequestError")
      assert.deepStrictEqual(FakeService.fieldsOf(result.left), [field])
      assert.strictEqual(received.length, 0)
    })
  }
})

it.effect.prop(
  "an arbitrary valid request is sent unchanged",
  [PaymentIntent.PaymentIntentRequest],
  ([body]) =>
    Effect.gen(function* () {
      const { received, result } = yield* create(body)
      assert.strictEqual(result._tag, "Right")
      assert.strictEqual(
        received[0]?.body,
        JSON.stringify(Schema.encodeSync(PaymentIntent.PaymentIntentRequest)(body))
      )
    })
)
