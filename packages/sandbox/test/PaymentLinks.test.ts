import { assert, describe } from "@effect/vitest"
import * as PaymentLink from "@manilla/payment-links/PaymentLink"
import { link as request, codeOf, plain, walletIn, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

const test = tests()

describe("a payment link", () => {
  tests({ wallets: [] })(
    "accepts payments until it is used up",
    function* ({ paymentLinks: links, sandbox }) {
      const metadata = { event: "concert" }
      const link = yield* links.create({ ...request, max_uses: 2, metadata })
      assert.deepInclude(plain(link), { status: "ACTIVE", use_count: 0, amount: "5000.0000" })
      assert.strictEqual(
        link.checkout_url,
        new URL(`/checkout/${link.reference}`, sandbox.baseUrl).href
      )

      const transaction = yield* sandbox.payLink({ id: link.id })
      assert.deepInclude(plain(transaction), {
        source: link.reference,
        operation: "COLLECTION",
        amount: "5000.0000",
        fee_amount: "75.0000",
        net_amount: "4925.0000",
        metadata
      })
      assert.deepInclude(plain(yield* links.get(link.id)), {
        status: "ACTIVE",
        use_count: 1,
        metadata
      })
      yield* sandbox.payLink({ id: link.id })
      assert.deepInclude(plain(yield* links.get(link.id)), { status: "INACTIVE", use_count: 2 })
      const refused = yield* Effect.flip(sandbox.payLink({ id: link.id }))
      assert.strictEqual(refused.code, "LINK_NOT_ACTIVE")
      assert.strictEqual((yield* walletIn("XOF")).available, "9850.0000")
      assert.lengthOf(yield* sandbox.transactions, 2)
    }
  )

  test("keeps its maximum of uses with 50 payers", function* ({ paymentLinks: links, sandbox }) {
    const { id } = yield* links.create({ ...request, max_uses: 7 })
    yield* Effect.replicateEffect(Effect.either(sandbox.payLink({ id })), 50, {
      concurrency: "unbounded"
    })
    assert.strictEqual((yield* links.get(id)).use_count, 7)
    assert.lengthOf(yield* sandbox.transactions, 7)
  })

  test("expires on time, to the millisecond", function* ({ paymentLinks: links, sandbox }) {
    const expires_at = "1970-01-01T00:01:00.000001Z"
    const { id } = yield* links.create({ ...request, expires_at })
    yield* TestClock.adjust("60 seconds")
    assert.deepInclude(plain(yield* links.get(id)), { status: "ACTIVE", expires_at })
    yield* sandbox.payLink({ id })
    yield* TestClock.adjust("1 millis")
    assert.deepInclude(plain(yield* links.get(id)), { status: "EXPIRED", use_count: 1 })
    const refused = yield* Effect.flip(sandbox.payLink({ id }))
    assert.strictEqual(refused.code, "LINK_NOT_ACTIVE")
    assert.include(refused.message, "EXPIRED")
  })

  test("stays INACTIVE after its expiry when used", function* ({ paymentLinks: links, sandbox }) {
    const expires_at = "1970-01-01T00:01:00Z"
    const { id } = yield* links.create({ ...request, expires_at, max_uses: 1 })
    yield* sandbox.payLink({ id })
    yield* TestClock.adjust("1 hour")
    assert.strictEqual((yield* links.get(id)).status, "INACTIVE")
  })

  test("must expire in the future", function* ({ paymentLinks: links }) {
    yield* TestClock.adjust("1 hour")
    for (const expires_at of ["1970-01-01T01:00:00Z", "1970-01-01T02:00:00+02:00"]) {
      const error = yield* Effect.flip(links.create({ ...request, expires_at }))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.strictEqual(codeOf(error), "EXPIRES_IN_THE_PAST")
    }
    assert.strictEqual((yield* links.list()).total, 0)
    const link = yield* links.create({ ...request, expires_at: "1970-01-01T02:00:00+00:30" })
    assert.strictEqual(link.expires_at, "1970-01-01T01:30:00.000000Z")
  })

  test("that is not there cannot be paid", function* ({ sandbox }) {
    const unknown = PaymentLink.makeId("00000000-0000-4000-8000-000000000000")
    assert.strictEqual((yield* Effect.flip(sandbox.payLink({ id: unknown }))).code, "NOT_FOUND")
  })
})
