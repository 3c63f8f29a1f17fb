import { assert, describe, it } from "@effect/vitest"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Transaction from "@manilla/transactions/Transaction"
import { collected, tests } from "@manilla/test-support/Sandboxed"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const test = tests()
/** Its catalogue has one currency. */
const lenient = tests({ lenient: true })

describe("250 transactions", () => {
  const many = Effect.forEach(
    Array.from({ length: 250 }, (_, index) => index),
    (index) => collected(`order ${index}`, { amount: `${index}.${index % 10}1` })
  )

  test("are streamed over all pages, with exact net amounts", function* ({
    transactions,
    sandbox
  }) {
    yield* many
    for (const filter of [{}, { per_page: 1 + 99 }, { per_page: 7 }]) {
      const rows = Chunk.toReadonlyArray(yield* Stream.runCollect(transactions.stream(filter)))
      const references = rows.map(({ reference }) => reference)
      assert.deepStrictEqual(
        references,
        (yield* sandbox.transactions).map(({ reference }) => reference).reverse()
      )
      assert.isTrue(rows.every(Transaction.isNetExact))
    }
    assert.lengthOf(yield* sandbox.transactions, 250)
  })

  test("are returned in pages with their position", function* ({ transactions }) {
    yield* many
    const pages = yield* Stream.runCollect(transactions.pages({ per_page: 100 }))
    assert.deepStrictEqual(
      Array.from(pages, ({ current_page, data, per_page, total }) => [
        current_page,
        data.length,
        per_page,
        total
      ]),
      [
        [1, 100, 100, 250],
        [2, 100, 100, 250],
        [3, 50, 100, 250]
      ]
    )
    const first = yield* transactions.list()
    assert.deepStrictEqual([first.current_page, first.per_page], [1, Sandbox.defaultPerPage])
    assert.lengthOf(first.data, Sandbox.defaultPerPage)
    const beyond = yield* transactions.list({}, { extraParams: { page: "99" } })
    assert.deepStrictEqual([beyond.current_page, beyond.data.length, beyond.total], [99, 0, 250])
  })
})

describe("a net amount", () => {
  const amounts = { amount: "1000", fee_amount: "15", net_amount: "985.00" }
  for (const [is, what, change] of [
    [true, "the amount minus the fee", {}],
    [true, "negative if the fee is larger", { amount: "10", net_amount: "-5" }],
    [false, "another amount", { net_amount: "985.01" }],
    [false, "the amount", { net_amount: "1000" }],
    ...[null, undefined].flatMap((none) => [
      [false, `${none}`, { net_amount: none }] as const,
      [false, `that of a fee of ${none}`, { fee_amount: none, net_amount: "1000" }] as const
    ])
  ] as const) {
    it(`is ${is ? "" : "not "}exact if it is ${what}`, () => {
      const row = { reference: "T", status: "COMPLETED", currency: "XOF", ...amounts, ...change }
      const transaction = Schema.decodeUnknownSync(Transaction.Transaction)(row)
      assert.strictEqual(Transaction.isNetExact(transaction), is)
    })
  }
})

describe("filters", () => {
  lenient("combine status, currency and environment", function* ({ transactions }) {
    yield* collected("one")
    yield* collected("two", { currency: "XAF", country: "CM" })
    yield* collected("three", { currency: "XAF", country: "CM", operation: "DEPOSIT" })
    const totals = (filter: Parameters<typeof transactions.list>[0]) =>
      Effect.map(transactions.list(filter), ({ data, total }) => {
        assert.lengthOf(data, total ?? -1)
        return total
      })
    assert.strictEqual(yield* totals({}), 3)
    assert.strictEqual(yield* totals({ currency: "XAF" }), 2)
    assert.strictEqual(yield* totals({ currency: "EUR" }), 0)
    assert.strictEqual(yield* totals({ status: "COMPLETED" }), 3)
    assert.strictEqual(yield* totals({ status: "PENDING" }), 0)
    assert.strictEqual(yield* totals({ environment: "SANDBOX" }), 3)
    assert.strictEqual(yield* totals({ environment: "LIVE" }), 0)
    const all = { currency: "XAF", status: "COMPLETED", environment: "SANDBOX" } as const
    assert.strictEqual(yield* totals(all), 2)
    assert.strictEqual(yield* totals({ ...all, environment: "LIVE" }), 0)
  })
})
