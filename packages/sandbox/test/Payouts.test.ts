import { assert, describe } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import {
  balancesIn,
  codeOf,
  collection,
  key,
  payoutFrom,
  plain,
  settled,
  walletIn,
  tests
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

const wallets = [
  { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("1500") },
  { currency: Currency.Currency.make("USD"), balance: Amount.Amount.make("1500") }
]

const test = tests({ wallets })

const other = IdempotencyKey.make("another")

describe("a payout", () => {
  test("reserves its amount and fee, and pays them when it settles", function* ({ payouts }) {
    const created = yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
    assert.strictEqual(created.status, "PENDING")
    assert.deepStrictEqual(yield* balancesIn("XOF"), {
      available: "490.0000",
      reserved: "1010.0000"
    })

    yield* TestClock.adjust("1999 millis")
    assert.strictEqual((yield* payouts.get(created.reference)).status, "PENDING")
    yield* TestClock.adjust("1 millis")
    const paid = yield* payouts.get(created.reference)
    assert.strictEqual(paid.status, "COMPLETED")
    assert.strictEqual(paid.updated_at, "1970-01-01T00:00:02.000000Z")
    assert.deepStrictEqual(yield* balancesIn("XOF"), { available: "490.0000", reserved: "0.0000" })
  })

  test("becomes a transaction with its metadata", function* ({ payouts, transactions }) {
    const metadata = { employee: "E001", nested: { month: [2026, 11] } }
    const { reference } = yield* payouts.create(
      { ...payoutFrom(yield* walletIn("XOF"), "12.3456"), metadata },
      { key }
    )
    assert.lengthOf((yield* transactions.list()).data, 0)
    yield* settled
    const [listed] = (yield* transactions.list()).data
    const transaction = yield* transactions.get(listed?.reference ?? assert.fail("none"))
    assert.deepInclude(plain(transaction), {
      operation: "PAYOUT",
      amount: "12.3456",
      fee_amount: "0.1235",
      net_amount: "12.2221",
      completed_at: "1970-01-01T00:00:02.000000Z",
      metadata
    })
    assert.strictEqual(
      transaction.provider_reference,
      (yield* payouts.get(reference)).provider_reference
    )
  })

  test("settles immediately on demand, and only once", function* ({ payouts, sandbox }) {
    const { reference } = yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
    assert.strictEqual(
      (yield* Effect.flip(sandbox.settle({ resource: reference, status: "PENDING" }))).code,
      "NOT_PENDING"
    )
    yield* sandbox.settle({ resource: reference })
    assert.strictEqual(
      (yield* Effect.flip(sandbox.settle({ resource: reference, status: "FAILED" }))).code,
      "NOT_PENDING"
    )
    yield* settled
    assert.lengthOf(yield* sandbox.transactions, 1)
    assert.deepStrictEqual(yield* balancesIn("XOF"), { available: "490.0000", reserved: "0.0000" })
  })

  test("can spend a collection from the moment it completes", function* ({ payouts, payments }) {
    const request = payoutFrom(yield* walletIn("XOF"), "2000")
    yield* payments.create(collection, { key })
    yield* TestClock.adjust("1999 millis")
    const early = yield* Effect.flip(payouts.create(request, { key: other }))
    assert.strictEqual(codeOf(early), "INSUFFICIENT_FUNDS")
    // The payment completes although nothing reads it meanwhile.
    yield* TestClock.adjust("1 millis")
    yield* payouts.create(request, { key: other })
    assert.strictEqual((yield* walletIn("XOF")).available, "957.5000")
  })
})

describe("is refused", () => {
  for (const [code, field, changes] of [
    ["WALLET_NOT_FOUND", "wallet_id", { wallet_id: "00000000-0000-4000-8000-000000000000" }],
    ["CURRENCY_MISMATCH", "currency", { currency: "USD" }],
    // The fee is missing.
    ["INSUFFICIENT_FUNDS", "wallet_id", { amount: "1485.1486" }],
    ["SERVICE_UNAVAILABLE", "payment_method", { payment_method: "celtiis_cash" }]
  ] as const) {
    test(`with ${code} for its ${field}`, function* ({ payouts, sandbox }) {
      const request = payoutFrom(yield* walletIn("XOF"))
      const before = yield* sandbox.wallets
      const error = yield* Effect.flip(payouts.create({ ...request, ...changes }, { key }))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.strictEqual(codeOf(error), code)
      assert.isTrue("details" in error && JSON.stringify(error.details).includes(`"${field}"`))
      assert.lengthOf(yield* sandbox.payouts, 0)
      assert.deepStrictEqual(yield* sandbox.wallets, before)
      // The refused request did not use up the key.
      yield* payouts.create(request, { key })
    })
  }
})
