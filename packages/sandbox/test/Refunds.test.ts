import { assert, describe } from "@effect/vitest"
import * as Transaction from "@manilla/transactions/Transaction"
import {
  balancesIn,
  collected,
  key,
  payoutFrom,
  plain,
  settled,
  walletIn,
  tests
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

const test = tests()
const withoutFunds = tests({ wallets: [] })

describe("a refund", () => {
  withoutFunds("is reserved, paid, and becomes a transaction", function* ({ refunds, sandbox }) {
    const { reference: transaction } = yield* collected("order", { metadata: { order: "42" } })
    const asked = yield* sandbox.refund({ transaction, amount: "500.5", reason: "Too big" })
    assert.deepInclude(plain(asked), { amount: "500.5000", reason: "Too big", status: "PENDING" })
    assert.deepStrictEqual(yield* refunds.get(asked.reference), asked)
    const available = "977.0000"
    assert.deepStrictEqual(yield* balancesIn("XOF"), { available, reserved: "500.5000" })

    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(plain(yield* refunds.get(asked.reference)), {
      ...asked,
      status: "COMPLETED",
      updated_at: "1970-01-01T00:00:02.000000Z"
    })
    assert.deepStrictEqual(yield* balancesIn("XOF"), { available, reserved: "0.0000" })
    const [, booked] = yield* sandbox.transactions
    assert.deepInclude(plain(booked ?? {}), {
      source: asked.reference,
      operation: "REFUND",
      amount: "500.5000",
      fee_amount: "0.0000",
      net_amount: "500.5000",
      provider_reference: asked.provider_reference,
      metadata: { order: "42" }
    })
  })

  for (const [status, left, beyond] of [
    ["PENDING", "500.0000", "500.0001"],
    ["COMPLETED", "500.0000", "500.0001"],
    ["FAILED", "1500.0000", "1500.0001"],
    ["NEW_ONE", "1500.0000", "1500.0001"]
  ] as const) {
    for (const when of ["at once", "after a restart"]) {
      test(`of 1000 that is ${status} leaves ${left} ${when}`, function* ({ sandbox }) {
        const { reference: transaction } = yield* collected("order")
        const before = yield* sandbox.wallets
        const { reference } = yield* sandbox.refund({ transaction, amount: "1000" })
        if (status !== "PENDING") yield* sandbox.settle({ resource: reference, status })
        if (when !== "at once") yield* sandbox.restore(yield* sandbox.snapshot)
        if (left === "1500.0000") assert.deepStrictEqual(yield* sandbox.wallets, before)
        const over = yield* Effect.flip(sandbox.refund({ transaction, amount: beyond }))
        assert.strictEqual(over.code, "REFUND_TOO_LARGE")
        assert.strictEqual<string>((yield* sandbox.refund({ transaction })).amount, left)
        const none = yield* Effect.flip(sandbox.refund({ transaction, amount: "0.0001" }))
        assert.strictEqual(none.code, "REFUND_TOO_LARGE")
      })
    }
  }

  for (const operation of ["COLLECTION", "DEPOSIT"] as const) {
    withoutFunds(`of a ${operation} is made, and is not refunded itself`, function* ({ sandbox }) {
      const { reference: transaction } = yield* collected("order", { operation })
      yield* sandbox.refund({ transaction, amount: "100" })
      yield* settled
      const [, refund = assert.fail("none")] = yield* sandbox.transactions
      assert.strictEqual(refund.operation, "REFUND")
      const again = yield* Effect.flip(sandbox.refund({ transaction: refund.reference }))
      assert.strictEqual(again.code, "NOT_REFUNDABLE")
    })
  }

  test("is refused for a fully refunded transaction", function* ({ sandbox }) {
    const { reference } = yield* collected("order")
    yield* sandbox.refund({ transaction: reference })
    const before = yield* balancesIn("XOF")
    const error = yield* Effect.flip(sandbox.refund({ transaction: reference }))
    assert.deepInclude(error, { _tag: "ControlError", code: "ALREADY_REFUNDED" })
    assert.deepStrictEqual(yield* balancesIn("XOF"), before)
    yield* settled
    const refunds = (yield* sandbox.transactions).filter(({ operation }) => operation === "REFUND")
    assert.lengthOf(refunds, 1)
  })

  test("never exceeds the collection with 50 concurrent requests", function* ({ sandbox }) {
    const { reference } = yield* collected("order")
    const results = yield* Effect.replicateEffect(
      Effect.either(sandbox.refund({ transaction: reference, amount: "100" })),
      50,
      { concurrency: "unbounded" }
    )
    const made = results.filter(({ _tag }) => _tag === "Right")
    assert.lengthOf(made, 15)
  })

  withoutFunds("is refused without funds, and for others", function* ({ sandbox, payouts }) {
    const { reference } = yield* collected("order")
    yield* payouts.create(payoutFrom(yield* walletIn("XOF"), "1400"), { key })
    const empty = yield* Effect.flip(sandbox.refund({ transaction: reference, amount: "100" }))
    assert.deepInclude(empty, { _tag: "ControlError", code: "INSUFFICIENT_FUNDS" })
    const fields = empty.issues.map(({ field }) => field)
    assert.deepStrictEqual(fields, ["transaction"], "the field is one of the request")

    yield* settled
    const [, paidOut] = yield* sandbox.transactions
    const payout = yield* Effect.flip(
      sandbox.refund({ transaction: paidOut?.reference ?? assert.fail("none") })
    )
    assert.strictEqual(payout.code, "NOT_REFUNDABLE")
    const unknown = Transaction.makeReference("TRX-NONE")
    const missing = yield* Effect.flip(sandbox.refund({ transaction: unknown }))
    assert.strictEqual(missing.code, "NOT_FOUND")
  })

  for (const amount of ["0", "0.00000", "-1", "1.23456", "all", ""]) {
    test(`is refused for the amount "${amount}"`, function* ({ sandbox }) {
      const { reference } = yield* collected("order")
      const error = yield* Effect.flip(sandbox.refund({ transaction: reference, amount }))
      assert.strictEqual(error.code, "INVALID_AMOUNT")
    })
  }
})
