/**
 * The client sends every body that the declarations allow, and the sandbox accepts its form.
 */
import { assert } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { codeOf, layer } from "@manilla/test-support/Sandboxed"
import * as Test from "@manilla/test-support/Test"
import * as writes from "@manilla/test-support/Writes"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"

const services = layer({ lenient: true }, { retry: { attempts: 1 } })

/** Each body is sent. A refusal may only concern its content, such as an unknown wallet. */
for (const { keyField, name, operation, send } of writes.all) {
  Test.over(services).effect(`any body of ${name}`, function* () {
    const schema = operation.payload ?? assert.fail("the operation has no body")
    const bodies: ReadonlyArray<unknown> = FastCheck.sample(Arbitrary.make(schema), {
      numRuns: 100,
      seed: 42
    })
    for (const [index, body] of bodies.entries()) {
      const request = { ...Object(body) }
      if (keyField !== undefined) delete request[keyField]
      const key = IdempotencyKey.derive(name, String(index))
      const result = yield* Effect.either(send(request, key))
      if (result._tag === "Right") continue
      assert.notStrictEqual(result.left._tag, "InvalidRequestError", JSON.stringify(result.left))
      assert.notStrictEqual(codeOf(result.left), "VALIDATION_FAILED", JSON.stringify(result.left))
    }
    const { exchanges } = yield* Sandbox.Sandbox
    const seen = (yield* exchanges).filter(({ operation }) => operation === name)
    assert.strictEqual(seen.length, bodies.length)
  })
}

/** The limits of section 8. */
Test.over(services).effect("values on a limit", function* () {
  const text = (length: number) => "x".repeat(length)
  const money = { amount: "0.0001", currency: "XOF", country: "BJ" }
  const payments = yield* Payments.Payments
  const links = yield* PaymentLinks.PaymentLinks
  yield* payments.create(
    {
      ...money,
      operation: "COLLECTION",
      payment_method: text(60),
      payer: { phone_number: text(32), otp_code: text(32), lang: "en" },
      description: text(1000)
    },
    { key: IdempotencyKey.make(text(255)) }
  )
  yield* links.create({
    ...money,
    description: text(1000),
    max_uses: 1,
    success_url: text(2048),
    failure_url: text(2048)
  })
  yield* links.list({ per_page: 1 })
  yield* links.list({ per_page: 100 })
  const cards = yield* Cards.Cards
  const uuid = "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d"
  const refused = yield* Effect.flip(
    cards.issue(
      { customer_id: uuid, wallet_id: uuid, debit_currency: "XOF", initial_balance: "0" },
      { key: IdempotencyKey.make(text(100)) }
    )
  )
  assert.strictEqual(refused._tag, "UnprocessableError")
})
