/**
 * The client sends every body that the declarations allow, and the sandbox accepts its form.
 */
import { assert, it } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import { CardRequest } from "@manilla/cards/Card"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import { PaymentLinkRequest } from "@manilla/payment-links/PaymentLink"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import { PayoutRequest } from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import { PaymentIntentRequest } from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

const services = Layer.mergeAll(
  Cards.layer,
  PaymentLinks.layer,
  Payments.layer,
  Payouts.layer
).pipe(
  Layer.provideMerge(SandboxGateway.layer({ retry: { attempts: 1 } })),
  Layer.provideMerge(SandboxClient.layer())
)

type Services = Layer.Layer.Success<typeof services>

/** Each body is sent. A refusal may only concern its content, such as an unknown wallet. */
const accepts = <A, I, E extends { readonly _tag: string }>(
  name: string,
  schema: Schema.Schema<A, I>,
  send: (body: A, key: IdempotencyKey.IdempotencyKey) => Effect.Effect<unknown, E, Services>
) =>
  it.effect(`any body of ${name}`, () =>
    Effect.gen(function* () {
      const bodies = FastCheck.sample(Arbitrary.make(schema), { numRuns: 100, seed: 42 })
      for (const [index, body] of bodies.entries()) {
        const result = yield* Effect.either(send(body, IdempotencyKey.derive(name, String(index))))
        if (result._tag === "Right") continue
        assert.notStrictEqual(result.left._tag, "InvalidRequestError", JSON.stringify(result.left))
        const { code } = result.left as { readonly code?: string }
        assert.notStrictEqual(code, "VALIDATION_FAILED", JSON.stringify(result.left))
      }
      const { exchanges } = yield* Sandbox.Sandbox
      const seen = (yield* exchanges).filter(({ operation }) => operation === name)
      assert.strictEqual(seen.length, bodies.length)
    }).pipe(Effect.provide(services))
  )

accepts("Payments.create", PaymentIntentRequest, (body, key) =>
  Effect.flatMap(Payments.Payments, ({ create }) => create(body, { key }))
)
accepts("Payouts.create", PayoutRequest, (body, key) =>
  Effect.flatMap(Payouts.Payouts, ({ create }) => create(body, { key }))
)
accepts("PaymentLinks.create", PaymentLinkRequest, (body) =>
  Effect.flatMap(PaymentLinks.PaymentLinks, ({ create }) => create(body))
)
accepts("Cards.issue", CardRequest, (body, key) =>
  Effect.flatMap(Cards.Cards, ({ issue }) => issue(Struct.omit(body, "idempotency_key"), { key }))
)

/** The limits of section 8. */
it.effect("values on a limit", () =>
  Effect.gen(function* () {
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
      { key: IdempotencyKey.IdempotencyKey.make(text(255)) }
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
        { key: IdempotencyKey.IdempotencyKey.make(text(100)) }
      )
    )
    assert.strictEqual(refused._tag, "UnprocessableError")
  }).pipe(Effect.provide(services))
)
