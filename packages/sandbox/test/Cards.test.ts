import { assert, describe } from "@effect/vitest"
import type * as Cards from "@manilla/cards/Cards"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import { balancesIn, cardFrom, codeOf, key, plain, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import { sendAuthorised } from "./utils/harness.js"

const test = tests()

const wallets = ["XOF", "GHS"].map((currency) => ({
  currency: Currency.Currency.make(currency),
  balance: Amount.Amount.make("10000")
}))

const inTwoCurrencies = tests({ wallets })

describe("a card", () => {
  inTwoCurrencies("costs the fee plus the balance, at the rate", function* ({ cards, sandbox }) {
    const request = yield* cardFrom()
    const { card, pricing, reservation } = yield* cards.issue(request, { key })
    assert.deepInclude(plain(card), {
      virtual_card_customer_id: request.customer_id,
      issuance_reference: key,
      // (3 + 10) x 605.126353790613
      charged_amount: "7866.64259928",
      charged_currency: "XOF",
      environment: "SANDBOX",
      card_sequence: 1
    })
    assert.deepStrictEqual(plain(pricing ?? {}), {
      card_currency: "USD",
      card_creation_fee_usd: "3.00000000",
      wallet_debit: { amount: "7866.64259928", currency: "XOF" }
    })
    assert.strictEqual(reservation?.status, "CAPTURED")
    const left = { available: "2133.35740072", reserved: "0.0000" }
    assert.deepStrictEqual(yield* balancesIn("XOF"), left)
    const { balances } = yield* sandbox.ledger
    const balanceOf = (kind: string, currency: string) =>
      balances.find(({ account }) => account.kind === kind && account.currency === currency)
        ?.balance
    assert.strictEqual(balanceOf("card float", "USD"), "10.0000")
    assert.strictEqual(balanceOf("fees earned", "USD"), "3.0000")
    assert.strictEqual(balanceOf("currency exchange", "USD"), "13.0000")
    assert.strictEqual(balanceOf("currency exchange", "XOF"), "-7866.64259928")

    assert.deepStrictEqual((yield* cards.list()).data.map(plain), [
      {
        ...card,
        issuance_fee_usd: "3.00000000",
        exchange_rate: "605.126353790613",
        created_at: "1970-01-01T00:00:00.000000Z"
      }
    ])
  })

  test("has a sequence number per cardholder", function* ({ cards, sandbox }) {
    const [, second] = yield* sandbox.cardholders
    const request = { ...(yield* cardFrom("USD")), initial_balance: "0" }
    const sequence = (name: string, changes: Partial<Cards.IssueRequest> = {}) =>
      Effect.map(
        cards.issue({ ...request, ...changes }, { key: IdempotencyKey.derive(name) }),
        ({ card }) => `${card.card_sequence}: ${card.charged_amount}`
      )
    assert.strictEqual(yield* sequence("a"), "1: 3.00000000")
    yield* sandbox.restore(yield* sandbox.snapshot)
    assert.strictEqual(yield* sequence("b"), "2: 3.00000000")
    assert.strictEqual(yield* sequence("c", { customer_id: second?.id ?? "" }), "1: 3.00000000")
  })
})

describe("is refused", () => {
  const nobody = "00000000-0000-4000-8000-000000000000"
  for (const [code, field, changes, currency] of [
    ["CARDHOLDER_NOT_FOUND", "customer_id", { customer_id: nobody }, "XOF"],
    ["WALLET_NOT_FOUND", "wallet_id", { wallet_id: nobody }, "XOF"],
    ["CURRENCY_MISMATCH", "debit_currency", { debit_currency: "USD" }, "XOF"],
    // It has no exchange rate.
    ["CURRENCY_NOT_SUPPORTED", "debit_currency", {}, "GHS"],
    ["INSUFFICIENT_FUNDS", "wallet_id", { initial_balance: "13.6" }, "XOF"]
  ] as const) {
    tests({ wallets })(`with ${code} for its ${field}`, function* ({ cards, sandbox }) {
      const request = yield* cardFrom(currency)
      const before = yield* sandbox.wallets
      const error = yield* Effect.flip(cards.issue({ ...request, ...changes }, { key }))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.strictEqual(codeOf(error), code)
      assert.isTrue("details" in error && JSON.stringify(error.details).includes(`"${field}"`))
      assert.strictEqual((yield* cards.list()).total, 0)
      assert.deepStrictEqual(yield* sandbox.wallets, before)
      // The refused request did not use up the key.
      yield* cards.issue(yield* cardFrom(), { key })
    })
  }
})

describe("a key in the body", () => {
  test("is recorded in the exchange if the body is readable", function* ({ sandbox }) {
    const bodies = [`{"idempotency_key":"card-1"}`, `{"idempotency_key":1}`, "{", "[]", "null", ""]
    for (const text of bodies) yield* sendAuthorised("/cards", { method: "POST", text })
    const issues = (yield* sandbox.exchanges).filter(({ operation }) => operation === "Cards.issue")
    const ends = issues.map((exchange) => [exchange.key, exchange.ending])
    assert.deepStrictEqual(
      ends,
      bodies.map((_, index) => [index === 0 ? "card-1" : undefined, 422])
    )
  })
})
