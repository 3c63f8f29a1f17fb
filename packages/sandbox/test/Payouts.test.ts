import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Transactions from "@manilla/transactions/Transactions"
import {
  balancesIn,
  codeOf,
  collection,
  key,
  layer,
  payoutFrom,
  plain,
  settled,
  walletIn
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

const wallets = [
  { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("1500") },
  { currency: Currency.Currency.make("USD"), balance: Amount.Amount.make("1500") }
]

const other = IdempotencyKey.make("another")

describe("a payout", () => {
  it.effect("reserves its amount and fee, and pays them when it settles", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
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
      assert.deepStrictEqual(yield* balancesIn("XOF"), {
        available: "490.0000",
        reserved: "0.0000"
      })
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("becomes a transaction with its metadata and provider reference", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const transactions = yield* Transactions.Transactions
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
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("releases all funds when it fails, also with an undocumented status", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const sandbox = yield* Sandbox.Sandbox
      const { reference } = yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
      yield* sandbox.settle({ resource: reference, status: "RETURNED_TO_SENDER" })
      assert.strictEqual((yield* payouts.awaitFinal(reference)).status, "RETURNED_TO_SENDER")
      assert.deepStrictEqual(yield* balancesIn("XOF"), {
        available: "1500.0000",
        reserved: "0.0000"
      })
      // A final status does not change.
      yield* settled
      assert.strictEqual(
        (yield* Effect.flip(sandbox.settle({ resource: reference }))).code,
        "NOT_PENDING"
      )
      assert.strictEqual((yield* payouts.get(reference)).status, "RETURNED_TO_SENDER")
      assert.lengthOf(yield* sandbox.transactions, 0)
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("settles immediately on demand, and only once", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const sandbox = yield* Sandbox.Sandbox
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
      assert.strictEqual(
        (yield* Effect.flip(sandbox.settle({ resource: Payout.makeReference("PYT-NONE") }))).code,
        "NOT_FOUND"
      )
      yield* settled
      assert.lengthOf(yield* sandbox.transactions, 1)
      assert.deepStrictEqual(yield* balancesIn("XOF"), {
        available: "490.0000",
        reserved: "0.0000"
      })
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("can spend a collection from the moment it completes", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const payments = yield* Payments.Payments
      const request = payoutFrom(yield* walletIn("XOF"), "2000")
      yield* payments.create(collection, { key })
      yield* TestClock.adjust("1999 millis")
      const early = yield* Effect.flip(payouts.create(request, { key: other }))
      assert.strictEqual(codeOf(early), "INSUFFICIENT_FUNDS")
      // The payment completes although nothing reads it meanwhile.
      yield* TestClock.adjust("1 millis")
      yield* payouts.create(request, { key: other })
      assert.strictEqual((yield* walletIn("XOF")).available, "957.5000")
    }).pipe(Effect.provide(layer({ wallets })))
  )
})

describe("is refused", () => {
  const refused = (
    code: string,
    field: string,
    change: (request: Payout.PayoutRequest) => Payout.PayoutRequest
  ) =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const sandbox = yield* Sandbox.Sandbox
      const request = payoutFrom(yield* walletIn("XOF"))
      const error = yield* Effect.flip(payouts.create(change(request), { key }))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.strictEqual(codeOf(error), code)
      assert.isTrue("details" in error && JSON.stringify(error.details).includes(`"${field}"`))
      assert.lengthOf(yield* sandbox.payouts, 0)
      assert.deepStrictEqual(yield* balancesIn("XOF"), {
        available: "1500.0000",
        reserved: "0.0000"
      })
      // The refused request did not use up the key.
      yield* payouts.create(request, { key })
    }).pipe(Effect.provide(layer({ wallets })))

  it.effect("for an unknown wallet", () =>
    refused("WALLET_NOT_FOUND", "wallet_id", (request) => ({
      ...request,
      wallet_id: "00000000-0000-4000-8000-000000000000"
    }))
  )

  it.effect("for a currency other than the wallet's", () =>
    refused("CURRENCY_MISMATCH", "currency", (request) => ({ ...request, currency: "USD" }))
  )

  it.effect("for insufficient funds, including the fee", () =>
    refused("INSUFFICIENT_FUNDS", "wallet_id", (request) => ({ ...request, amount: "1485.1486" }))
  )

  it.effect("for an unavailable service", () =>
    refused("SERVICE_UNAVAILABLE", "payment_method", (request) => ({
      ...request,
      payment_method: "celtiis_cash"
    }))
  )
})

describe("a payout's key", () => {
  it.effect("makes one payout and one effect from 50 concurrent requests", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const sandbox = yield* Sandbox.Sandbox
      const request = payoutFrom(yield* walletIn("XOF"))
      const created = yield* Effect.replicateEffect(payouts.create(request, { key }), 50, {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(created.map(({ reference }) => reference)).size, 1)
      yield* settled
      assert.deepStrictEqual(
        (yield* sandbox.payouts).map(({ idempotency_key, status }) => [idempotency_key, status]),
        [[key, "COMPLETED"]]
      )
      assert.lengthOf(yield* sandbox.transactions, 1)
      assert.strictEqual((yield* walletIn("XOF")).available, "490.0000")
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("returns the first response, also after settlement", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const request = payoutFrom(yield* walletIn("XOF"))
      const first = yield* payouts.create(request, { key })
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* payouts.create(request, { key }), first)
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("is refused for a different body", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const request = payoutFrom(yield* walletIn("XOF"))
      yield* payouts.create(request, { key })
      for (const changes of [{ amount: "1000.0" }, { destination: "+229" }, { metadata: {} }]) {
        const error = yield* Effect.flip(payouts.create({ ...request, ...changes }, { key }))
        assert.strictEqual(codeOf(error), "IDEMPOTENCY_KEY_REUSED")
      }
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("is independent of the same key of a payment", () =>
    Effect.gen(function* () {
      const payouts = yield* Payouts.Payouts
      const payments = yield* Payments.Payments
      const sandbox = yield* Sandbox.Sandbox
      yield* payments.create(collection, { key })
      yield* payouts.create(payoutFrom(yield* walletIn("XOF")), { key })
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
      assert.lengthOf(yield* sandbox.payouts, 1)
    }).pipe(Effect.provide(layer({ wallets })))
  )
})
