import { assert, describe } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import { collection, key, plain, settled, walletIn, tests } from "@manilla/test-support/Sandboxed"
import * as TestClock from "effect/TestClock"
import { decodeFailure, sendAuthorised } from "./utils/harness.js"

const test = tests()

describe("a payment that completes", () => {
  test("becomes a transaction, and credits its net amount", function* ({ payments, transactions }) {
    const before = yield* walletIn("XOF")
    const metadata = { order: "42" }
    yield* payments.create({ ...collection, amount: "333.33", metadata }, { key })
    assert.strictEqual((yield* transactions.list()).total, 0)
    yield* TestClock.adjust("1 hour")

    const page = yield* transactions.list()
    assert.strictEqual(page.total, 1)
    const [listed] = page.data
    const read = yield* transactions.get(listed?.reference ?? assert.fail("none"))
    assert.deepInclude(plain(read), {
      operation: "COLLECTION",
      amount: "333.3300",
      // 4.99995 is rounded half up.
      fee_amount: "5.0000",
      net_amount: "328.3300",
      currency: "XOF",
      country: "BJ",
      environment: "SANDBOX",
      status: "COMPLETED",
      // The time of completion, not of the first read.
      completed_at: "1970-01-01T00:00:02.000000Z",
      created_at: "1970-01-01T00:00:02.000000Z",
      metadata
    })
    const { metadata: _, provider_reference, ...rest } = read
    assert.match(String(provider_reference), /^PRV-/)
    assert.deepStrictEqual(listed, rest)
    const after = yield* walletIn("XOF")
    assert.strictEqual(Amount.subtract(after.available, before.available), "328.3300")
  })

  test("completes in order of time, independent of reads", function* ({ payments, sandbox }) {
    const keys = ["a", "b", "c"].map((name) => IdempotencyKey.derive(name))
    const amounts: Array<string | undefined> = []
    for (const [index, key] of keys.entries()) {
      yield* payments.create({ ...collection, amount: String(index) }, { key })
      yield* TestClock.adjust("500 millis")
    }
    yield* TestClock.adjust("1 hour")
    for (const { amount, completed_at } of yield* sandbox.transactions) {
      amounts.push(`${amount} ${completed_at}`)
    }
    assert.deepStrictEqual(amounts, [
      "0.0000 1970-01-01T00:00:02.000000Z",
      "1.0000 1970-01-01T00:00:02.500000Z",
      "2.0000 1970-01-01T00:00:03.000000Z"
    ])
  })

  test("completes in order of creation at the same time", function* ({ payments, sandbox }) {
    const amounts = Array.from({ length: 20 }, (_, index) => String(index))
    for (const amount of amounts) {
      const key = IdempotencyKey.derive("same moment", amount)
      yield* payments.create({ ...collection, amount }, { key })
    }
    yield* settled
    const found = (yield* sandbox.transactions).map(({ amount }) => String(Number(amount)))
    assert.deepStrictEqual(found, amounts)
  })
})

describe("filters", () => {
  for (const [query, field] of [
    ["per_page=0", "urlParams.per_page"],
    ["per_page=101", "urlParams.per_page"],
    ["per_page=1.5", "urlParams.per_page"],
    ["per_page=many", "urlParams.per_page"],
    ["currency=XO", "urlParams.currency"],
    ["environment=TEST", "urlParams.environment"],
    ["page=0", "urlParams.page"],
    ["page=-1", "urlParams.page"],
    ["page=two", "urlParams.page"],
    ["page=1&page=2", "urlParams.page"]
  ] as const) {
    test(`refuse ${query}`, function* () {
      const { status, text } = yield* sendAuthorised(`/transactions?${query}`, {})
      assert.strictEqual(status, 422)
      const details = JSON.stringify(decodeFailure(text).data.error.details)
      assert.include(details, `"field":"${field}"`)
    })
  }
})
