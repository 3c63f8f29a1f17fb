/**
 * The answers of the shop, over a test double of `Payments`.
 */
import { HttpApiBuilder, HttpServer } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Errors, IdempotencyKey } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import type { PaymentError } from "./Answers.js"
import * as Shop from "./Shop.js"

type Collect = Payments.Service["collect"]

/** Posts each phone to the shop, one after the other. */
const posted = (
  collect: Collect,
  {
    order = "42",
    orders = new Map([["42", "1500"]]),
    phones = ["+2290161234567"]
  }: { order?: string; orders?: Shop.Orders; phones?: Array<string> } = {}
) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      HttpApiBuilder.toWebHandler(
        Shop.layer(orders).pipe(
          Layer.provide(Layer.mock(Payments.Payments, { collect })),
          Layer.merge(HttpServer.layerContext),
          Layer.merge(Logger.minimumLogLevel(LogLevel.None))
        )
      )
    ),
    ({ handler }) =>
      Effect.forEach(phones, (phone) =>
        Effect.promise(async () => {
          const body = JSON.stringify({ phone })
          const headers = { "content-type": "application/json" }
          const url = `http://shop.localhost/orders/${order}/payment`
          const response = await handler(new Request(url, { method: "POST", headers, body }))
          return { status: response.status, headers: response.headers, body: await response.text() }
        })
      ),
    ({ dispose }) => Effect.promise(dispose)
  )

const common = { operation: "Payments.create", message: "internal: do not show" }
const key = IdempotencyKey.derive("order", "42")
const id = PaymentIntent.makeId("3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d")
const payment = Schema.decodeSync(PaymentIntent.PaymentIntent)({
  id,
  status: "COMPLETED",
  amount: "1500.0000",
  currency: "XOF"
})
const transport = new Errors.TransportError({ ...common, sent: false })
const invalid = (field: string) =>
  new Errors.InvalidRequestError({ ...common, issues: [{ field, rule: "must be another" }] })

/** An error of each kind, with the status of its answer. */
const errors: {
  readonly [Tag in PaymentError["_tag"]]: readonly [Extract<PaymentError, { _tag: Tag }>, number]
} = {
  InvalidRequestError: [invalid("payer.phone_number"), 422],
  UnauthorizedError: [new Errors.UnauthorizedError({ ...common, status: 401 }), 500],
  ForbiddenError: [new Errors.ForbiddenError({ ...common, status: 403, grantedScopes: [] }), 500],
  UnprocessableError: [
    new Errors.UnprocessableError({ ...common, status: 422, code: "IDEMPOTENCY_KEY_REUSED" }),
    422
  ],
  BadRequestError: [new Errors.BadRequestError({ ...common, status: 400 }), 500],
  NotFoundError: [new Errors.NotFoundError({ ...common, status: 404 }), 500],
  RateLimitError: [new Errors.RateLimitError({ ...common, status: 429 }), 503],
  TransportError: [transport, 503],
  TokenUnavailableError: [new Errors.TokenUnavailableError({ ...common, cause: transport }), 503],
  AppliedUnreadable: [
    new Errors.AppliedUnreadable({ ...common, status: 201, issues: [], key }),
    202
  ],
  OutcomeUnknown: [
    new Errors.OutcomeUnknown({ ...common, attempts: 3, key, cause: transport }),
    202
  ],
  KeyReused: [new Errors.KeyReused({ ...common, attempts: 2, key, differs: ["amount"] }), 409],
  PaymentStillPending: [new Payments.PaymentStillPending({ ...common, id }), 202]
}

describe("the shop", () => {
  for (const [error, expected] of Object.values(errors)) {
    it.effect(`answers ${error._tag} with ${expected}`, () =>
      Effect.gen(function* () {
        const [answer] = yield* posted(() => Effect.fail(error))
        assert(answer !== undefined)
        assert.strictEqual(answer.status, expected)
        assert.notInclude(answer.body, "internal")
        // A refusal does not show whether an earlier request with the key charged the buyer.
        assert.notInclude(answer.body, "not charged")
        assert.strictEqual(
          answer.body.includes("check that payment first"),
          Errors.outcome(error) === "notApplied"
        )
        assert.strictEqual(answer.headers.has("retry-after"), expected === 503)
      })
    )
  }

  it.effect("does not blame the buyer for the shop's own mistakes", () =>
    Effect.gen(function* () {
      const [answer] = yield* posted(() => Effect.fail(invalid("amount")))
      assert.strictEqual(answer?.status, 500)
    })
  )

  it.effect("takes over the service's Retry-After", () =>
    Effect.gen(function* () {
      const [answer] = yield* posted(() =>
        Effect.fail(new Errors.RateLimitError({ ...common, status: 429, retryAfterMillis: 1500 }))
      )
      assert.strictEqual(answer?.headers.get("retry-after"), "2")
    })
  )

  it.effect("does not offer another try while the credentials are wrong", () =>
    Effect.gen(function* () {
      const cause = new Errors.UnauthorizedError({ ...common, status: 401 })
      const [answer] = yield* posted(() =>
        Effect.fail(new Errors.TokenUnavailableError({ ...common, cause }))
      )
      assert.strictEqual(answer?.status, 500)
    })
  )

  it.effect("says 404 for an order that it does not have, and only then", () =>
    Effect.gen(function* () {
      const [unknown] = yield* posted(() => Effect.die("not called"), { order: "43" })
      assert.strictEqual(unknown?.status, 404)
      const missing = new Errors.NotFoundError({ ...common, status: 404 })
      const [defect] = yield* posted(() => Effect.die(missing))
      assert.strictEqual(defect?.status, 500)
    })
  )

  it.effect("does not collect an order that changed after it was paid", () =>
    Effect.gen(function* () {
      const orders = new Map([["42", "1500"]])
      const sent: Array<string> = []
      const collect: Collect = ({ amount }) => {
        sent.push(amount)
        orders.set("42", "2500")
        return Effect.succeed(payment)
      }
      const [paid, changed] = yield* posted(collect, {
        orders,
        phones: ["+2290161234567", "+2290161234567"]
      })
      assert.strictEqual(paid?.status, 200)
      assert.strictEqual(changed?.status, 409)
      assert.include(changed?.body, "after its payment started")
      assert.deepStrictEqual(sent, ["1500"])
    })
  )

  for (const [outcome, first, second] of [
    ["paid", Effect.succeed(payment), "+2290161234567"],
    ["unknown", Effect.fail(errors.OutcomeUnknown[0]), "+2290161234567"],
    ["notApplied", Effect.fail(errors.UnprocessableError[0]), "+2290167654321"]
  ] as const) {
    it.effect(`sends ${second} when the first outcome was ${outcome}`, () =>
      Effect.gen(function* () {
        const sent: Array<string> = []
        const collect: Collect = ({ payer }) => {
          sent.push(payer.phone_number)
          return first
        }
        yield* posted(collect, { phones: ["+2290161234567", "+2290167654321"] })
        assert.deepStrictEqual(sent, ["+2290161234567", second])
      })
    )
  }
})
