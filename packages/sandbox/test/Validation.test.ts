import { assert, describe } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import { collection, key, phone, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { decodeFailure, obtain, type Raw, send, sendAuthorised, tokenUrl } from "./utils/harness.js"

const test = tests()

const decodeIssues = Schema.decodeUnknownSync(Schema.Array(Errors.Issue))

const create = (raw: Raw) =>
  Effect.map(sendAuthorised("/payments", { method: "POST", ...raw }), ({ status, text }) => ({
    status,
    text
  }))

const fieldsOf = (text: string) =>
  decodeIssues(decodeFailure(text).data.error.details).map(({ field }) => field)

describe("validation", () => {
  test("names every invalid field with its rule, without its value", function* () {
    const refused = yield* create({
      headers: { "idempotency-key": "k".repeat(256), "x-correlation-id": "not-a-uuid-4711" },
      body: {
        ...collection,
        country: "VALUE-A",
        amount: "VALUE-B",
        currency: "VALUE-C",
        operation: "VALUE-D",
        payment_method: "VALUE-E".repeat(10),
        payer: { phone_number: phone.repeat(4), otp_code: 424242, lang: "VALUE-F" },
        metadata: ["VALUE-G"],
        expires_at: "VALUE-H"
      }
    })
    assert.strictEqual(refused.status, 422)
    assert.deepStrictEqual(fieldsOf(refused.text).sort(), [
      "amount",
      "country",
      "currency",
      "expires_at",
      "headers.idempotency-key",
      "headers.x-correlation-id",
      "metadata",
      "operation",
      "payer.lang",
      "payer.otp_code",
      "payer.phone_number",
      "payment_method"
    ])
    for (const value of ["VALUE", phone, "424242", "4711", "kkk"]) {
      assert.notInclude(refused.text, value)
    }
    const { code, details } = decodeFailure(refused.text).data.error
    assert.strictEqual(code, "VALIDATION_FAILED")
    assert.deepInclude(decodeIssues(details), {
      field: "payer.phone_number",
      rule: "must be a string of at most 32 characters"
    })
  })

  test("names missing fields", function* () {
    const refused = yield* create({ body: { payer: {} } })
    assert.strictEqual(refused.status, 422)
    assert.deepStrictEqual(fieldsOf(refused.text).sort(), [
      "amount",
      "country",
      "currency",
      "headers.idempotency-key",
      "operation",
      "payer.phone_number",
      "payment_method"
    ])
  })

  test("requires JSON", function* () {
    const headers = { "idempotency-key": key }
    for (const text of [`{"country":"${phone}`, "", "\u0000", "nul"]) {
      const refused = yield* create({ headers, text })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(fieldsOf(refused.text), ["request"])
      assert.notInclude(refused.text, phone)
    }
    const plain = yield* create({
      headers: { ...headers, "content-type": "text/plain" },
      body: collection
    })
    assert.strictEqual(plain.status, 422)
    assert.deepStrictEqual(fieldsOf(plain.text), ["headers.content-type"])
  })

  test("precedes the check of credentials", function* () {
    const refused = yield* send(yield* tokenUrl, {
      method: "POST",
      body: { client_id: 1, client_secret: { leak: "s3cr3t" } }
    })
    assert.strictEqual(refused.status, 422)
    assert.deepStrictEqual(fieldsOf(refused.text), ["client_id", "client_secret"])
    assert.notInclude(refused.text, "s3cr3t")
  })

  test("refuses an invalid id", function* () {
    const refused = yield* sendAuthorised("/payments/intent-4711", {})
    assert.strictEqual(refused.status, 422)
    assert.deepStrictEqual(fieldsOf(refused.text), ["path.paymentIntent"])
    assert.notInclude(refused.text, "4711")
  })

  test("takes or refuses any JSON without an internal error", function* ({ sandbox: { baseUrl } }) {
    const { access_token } = yield* obtain
    const samples = FastCheck.sample(
      FastCheck.oneof(
        FastCheck.jsonValue(),
        FastCheck.record({
          country: FastCheck.string(),
          amount: FastCheck.oneof(FastCheck.string(), FastCheck.constant("007.10")),
          metadata: FastCheck.jsonValue(),
          expires_at: FastCheck.constantFrom(
            "0000-01-01T00:00:00+23:59",
            "9999-12-31T23:59:59-23:59"
          )
        }).map((changes) => ({ ...collection, ...changes, country: "BJ" }))
      ),
      { numRuns: 200, seed: 7 }
    )
    const statuses = yield* Effect.forEach(samples, (body, index) =>
      Effect.map(
        send(`${baseUrl}/payments`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${access_token}`,
            "idempotency-key": `sample-${index}`
          },
          body
        }),
        ({ status }) => status
      )
    )
    assert.deepStrictEqual(Array.from(new Set(statuses)).sort(), [201, 422])
  })
})

describe("unknown routes", () => {
  test("get 404 with the error envelope", function* ({ sandbox: { authUrl, baseUrl } }) {
    const unknown = [
      [`${baseUrl}/nowhere`, "GET"],
      [`${baseUrl}/payments`, "DELETE"],
      [`${baseUrl}/auth/application/token`, "POST"],
      [`${authUrl}/services`, "GET"],
      [baseUrl.replace("/api/v1", "/services"), "GET"],
      [`${baseUrl}/payments/%E0%A4%A`, "GET"]
    ] as const
    for (const [url, method] of unknown) {
      const answer = yield* send(url, { method })
      assert.strictEqual(answer.status, 404, url)
      assert.strictEqual(decodeFailure(answer.text).data.error.code, "NOT_FOUND")
    }
  })
})
