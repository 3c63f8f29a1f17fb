import { assert, describe, it } from "@effect/vitest"
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Cards from "@manilla/cards/Cards"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payouts from "@manilla/payouts/Payouts"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import {
  balancesIn,
  cardFrom,
  codeOf,
  key,
  layer,
  payoutFrom,
  plain,
  walletIn
} from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { sendAuthorised } from "./utils/harness.js"

const wallets = ["XOF", "GHS"].map((currency) => ({
  currency: Currency.Currency.make(currency),
  balance: Amount.Amount.make("10000")
}))

const holders = Effect.flatMap(Cardholders.Cardholders, ({ list }) =>
  Effect.map(list(), ({ data }) => data)
)

describe("a card", () => {
  it.effect("costs the fee plus the balance, at the exchange rate", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const sandbox = yield* Sandbox.Sandbox
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
      assert.deepStrictEqual(yield* balancesIn("XOF"), {
        available: "2133.35740072",
        reserved: "0.0000"
      })
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
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("has a sequence number per cardholder", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const [, second] = yield* holders
      const request = { ...(yield* cardFrom("USD")), initial_balance: "0" }
      const sequence = (name: string, changes: Partial<Cards.IssueRequest> = {}) =>
        Effect.map(
          cards.issue({ ...request, ...changes }, { key: IdempotencyKey.derive(name) }),
          ({ card }) => `${card.card_sequence}: ${card.charged_amount}`
        )
      assert.strictEqual(yield* sequence("a"), "1: 3.00000000")
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.restore(yield* sandbox.snapshot)
      assert.strictEqual(yield* sequence("b"), "2: 3.00000000")
      assert.strictEqual(yield* sequence("c", { customer_id: second?.id ?? "" }), "1: 3.00000000")
      const listed = yield* Stream.runCollect(cards.stream({ per_page: 2 }))
      assert.deepStrictEqual(
        Array.from(listed, ({ issuance_reference }) => issuance_reference),
        ["c", "b", "a"]
      )
    }).pipe(Effect.provide(layer()))
  )
})

describe("is refused", () => {
  const refused = (
    code: string,
    field: string,
    changes: (request: Cards.IssueRequest) => Partial<Cards.IssueRequest>,
    currency = "XOF"
  ) =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const request = yield* cardFrom(currency)
      const before = yield* walletIn(currency)
      const error = yield* Effect.flip(cards.issue({ ...request, ...changes(request) }, { key }))
      assert.strictEqual(error._tag, "UnprocessableError")
      assert.strictEqual(codeOf(error), code)
      assert.isTrue("details" in error && JSON.stringify(error.details).includes(`"${field}"`))
      assert.strictEqual((yield* cards.list()).total, 0)
      assert.deepStrictEqual(yield* walletIn(currency), before)
      // The refused request did not use up the key.
      yield* cards.issue(yield* cardFrom(), { key })
    }).pipe(Effect.provide(layer({ wallets })))

  const nobody = "00000000-0000-4000-8000-000000000000"

  it.effect("for an unknown cardholder", () =>
    refused("CARDHOLDER_NOT_FOUND", "customer_id", () => ({ customer_id: nobody }))
  )
  it.effect("for an unknown wallet", () =>
    refused("WALLET_NOT_FOUND", "wallet_id", () => ({ wallet_id: nobody }))
  )
  it.effect("for a currency other than the wallet's", () =>
    refused("CURRENCY_MISMATCH", "debit_currency", () => ({ debit_currency: "USD" }))
  )
  it.effect("for a currency without an exchange rate", () =>
    refused("CURRENCY_NOT_SUPPORTED", "debit_currency", () => ({}), "GHS")
  )
  it.effect("for insufficient funds", () =>
    refused("INSUFFICIENT_FUNDS", "wallet_id", () => ({ initial_balance: "13.6" }))
  )
})

describe("a card's key", () => {
  it.effect("makes one card and one debit from 50 concurrent requests", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const sandbox = yield* Sandbox.Sandbox
      const request = yield* cardFrom()
      const issued = yield* Effect.replicateEffect(cards.issue(request, { key }), 50, {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(issued.map(({ card }) => card.id)).size, 1)
      assert.strictEqual((yield* cards.list()).total, 1)
      assert.strictEqual((yield* walletIn("XOF")).available, "2133.35740072")
      const issues = (yield* sandbox.exchanges).filter(
        ({ operation }) => operation === "Cards.issue"
      )
      assert.lengthOf(issues, 50)
      assert.isTrue(issues.every((exchange) => exchange.key === key))
    }).pipe(Effect.provide(layer({ wallets })))
  )

  it.effect("is refused for another body, and independent of payout keys", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const payouts = yield* Payouts.Payouts
      const request = yield* cardFrom()
      yield* payouts.create(payoutFrom(yield* walletIn("XOF"), "1"), { key })
      yield* cards.issue(request, { key })
      const error = yield* Effect.flip(cards.issue({ ...request, grade: "PREMIUM" }, { key }))
      assert.strictEqual(codeOf(error), "IDEMPOTENCY_KEY_REUSED")
    }).pipe(Effect.provide(layer({ wallets })))
  )
})

describe("a key in the body", () => {
  it.effect("is recorded in the exchange if the body is readable", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const bodies = [
        `{"idempotency_key":"card-1"}`,
        `{"idempotency_key":1}`,
        "{",
        "[]",
        "null",
        ""
      ]
      for (const text of bodies) yield* sendAuthorised("/cards", { method: "POST", text })
      const issues = (yield* sandbox.exchanges).filter(
        ({ operation }) => operation === "Cards.issue"
      )
      assert.deepStrictEqual(
        issues.map((exchange) => [exchange.key, exchange.ending]),
        bodies.map((_, index) => [index === 0 ? "card-1" : undefined, 422])
      )
    }).pipe(Effect.provide(layer()))
  )
})
