import { assert, describe, it } from "@effect/vitest"
import * as Cardholders from "@manilla/cards/Cardholders"
import * as Cards from "@manilla/cards/Cards"
import * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Wallet from "@manilla/core/Wallet"
import * as PaymentLinks from "@manilla/payment-links/PaymentLinks"
import * as Payments from "@manilla/payments/Payments"
import * as Payouts from "@manilla/payouts/Payouts"
import type * as Ledger from "@manilla/sandbox/Ledger"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Test from "@manilla/test-support/Test"
import * as Transaction from "@manilla/transactions/Transaction"
import { collection, layer, payoutFrom, walletIn, tests } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as ledger from "../src/internal/money/ledger.js"
import * as pricing from "../src/internal/money/pricing.js"
import * as state from "../src/internal/store/state.js"

const emptyBook = () => ledger.make(state.make())

const amount = (text: string) => Amount.Amount.make(text)
const xof = Currency.Currency.make("XOF")
const usd = Currency.Currency.make("USD")
const clearing: Ledger.Account = { kind: "provider clearing", currency: xof }
const fees: Ledger.Account = { kind: "fees earned", currency: xof }
const available: Ledger.WalletAccount = {
  kind: "wallet available",
  currency: xof,
  wallet_id: Wallet.makeId("3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d")
}

const post = (book: ledger.Book, ...postings: ReadonlyArray<Ledger.Posting>) =>
  Either.mapLeft(
    book.post(0, { reference: "REF-1", description: "a test", postings }),
    ({ code }) => code
  )

/** The debits minus the credits of each currency, which must be zero. */
const differences = ({ balances, journal }: Ledger.Ledger): ReadonlyArray<string> => {
  const postings = [
    ...balances.flatMap(({ account, credits, debits }) => [
      { account, side: "debit", amount: debits },
      { account, side: "credit", amount: credits }
    ]),
    ...journal.flatMap((entry) => entry.postings)
  ]
  return Array.from(new Set(postings.map(({ account }) => account.currency)), (currency) => {
    const of = (side: Ledger.Side) =>
      Amount.sum(
        postings
          .filter((one) => one.side === side && one.account.currency === currency)
          .map((one) => one.amount)
      )
    return Amount.Equivalence(of("debit"), of("credit")) ? "" : currency
  }).filter((currency) => currency !== "")
}

describe("the ledger", () => {
  it("refuses an entry that does not balance in each currency, without posting any of it", () => {
    const book = emptyBook()
    const ten = amount("10")
    const refused = [
      post(book, ledger.debit(clearing, ten)),
      post(book, ledger.debit(clearing, ten), ledger.credit(fees, amount("9.99999999"))),
      post(book, ledger.debit(clearing, ten), ledger.credit({ ...fees, currency: usd }, ten)),
      post(book, ledger.debit(clearing, amount("-10")), ledger.credit(fees, amount("-10")))
    ]
    assert.deepStrictEqual(
      refused,
      refused.map(() => Either.left("LEDGER_UNBALANCED"))
    )
    assert.deepStrictEqual(book.read(), { journal: [], balances: [] })
  })

  it.each(["wallet available", "wallet reserved"] as const)(
    "does not let %s become negative",
    (kind) => {
      const wallet = { ...available, kind }
      const book = emptyBook()
      post(book, ledger.debit(clearing, amount("10")), ledger.credit(wallet, amount("10.0000")))
      const over = post(
        book,
        ledger.debit(wallet, amount("10.00000001")),
        ledger.credit(clearing, amount("10.00000001"))
      )
      assert.deepStrictEqual(over, Either.left("INSUFFICIENT_FUNDS"))
      assert.strictEqual(book.balanceOf(wallet), "10.0000")
      const all = post(
        book,
        ledger.debit(wallet, amount("10")),
        ledger.credit(clearing, amount("10"))
      )
      assert.isTrue(Either.isRight(all))
      assert.strictEqual(book.balanceOf(wallet), "0.0000")
      assert.lengthOf(book.read().journal, 2)
    }
  )

  it("adds up two postings of an entry on one account", () => {
    const book = emptyBook()
    const [four, six] = [amount("4"), amount("6")]
    post(
      book,
      ledger.debit(clearing, amount("10")),
      ledger.credit(available, four),
      ledger.credit(available, six)
    )
    assert.strictEqual(book.balanceOf(available), "10.0000")
    const over = [ledger.debit(available, six), ledger.debit(available, six)]
    assert.deepStrictEqual(
      post(book, ...over, ledger.credit(clearing, amount("12"))),
      Either.left("INSUFFICIENT_FUNDS")
    )
  })

  it("drops postings of zero", () => {
    const book = emptyBook()
    post(book, ledger.debit(clearing, amount("0")), ledger.credit(fees, amount("0.00")))
    assert.deepStrictEqual(book.read().balances, [])
  })

  it("rounds half a unit of a fee up", () => {
    const fees = ["0.01", "0.03", "0.0299"].map((text) => pricing.collectionFee(amount(text)))
    assert.deepStrictEqual<ReadonlyArray<string>>(fees, ["0.0002", "0.0005", "0.0004"])
  })

  it("adds exactly where floats would not", () => {
    const book = emptyBook()
    for (const text of ["0.1", "0.2", "9007199254740993.00000001"]) {
      post(book, ledger.debit(clearing, amount(text)), ledger.credit(fees, amount(text)))
    }
    assert.strictEqual(book.balanceOf(fees), "9007199254740993.30000001")
  })

  it("returns immutable snapshots", () => {
    const book = emptyBook()
    const before = book.read()
    post(book, ledger.debit(clearing, amount("1")), ledger.credit(fees, amount("1")))
    assert.deepStrictEqual(before, { journal: [], balances: [] })
  })
})

type Step =
  | { readonly do: "collect" | "pay out" | "refund" | "issue"; readonly amount: string }
  | { readonly do: "wait" | "fail" | "link" }

const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({
      do: FastCheck.constantFrom(
        "collect" as const,
        "pay out" as const,
        "refund" as const,
        "issue" as const
      ),
      amount: FastCheck.oneof(
        FastCheck.integer({ min: 0, max: 400 }).map(String),
        FastCheck.tuple(FastCheck.nat(300), FastCheck.integer({ min: 1, max: 9999 })).map(
          ([whole, fraction]) => `${whole}.${String(fraction).padStart(4, "0")}`
        )
      )
    }),
    FastCheck.record({
      do: FastCheck.constantFrom("wait" as const, "fail" as const, "link" as const)
    })
  ),
  { minLength: 40, maxLength: 40 }
)

const play = (program: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const payments = yield* Payments.Payments
    const payouts = yield* Payouts.Payouts
    const links = yield* PaymentLinks.PaymentLinks
    const cards = yield* Cards.Cards
    const [holder] = (yield* (yield* Cardholders.Cardholders).list()).data
    const from = yield* walletIn("XOF")
    const link = yield* links.create({ amount: "12.3456", currency: "XOF", country: "BJ" })
    let refusals = 0
    const refused = Effect.sync(() => void refusals++)

    for (const [index, step] of program.entries()) {
      const key = IdempotencyKey.derive("step", String(index))
      const [pending] = (yield* sandbox.payouts).filter(({ status }) => status === "PENDING")
      const [transaction] = (yield* sandbox.transactions).filter(
        ({ operation }) => operation === "COLLECTION"
      )
      switch (step.do) {
        case "collect":
          yield* payments.create({ ...collection, amount: step.amount }, { key })
          break
        case "pay out":
          yield* payouts
            .create(payoutFrom(from, step.amount), { key })
            .pipe(Effect.catchTag("UnprocessableError", () => refused))
          break
        case "refund":
          if (transaction === undefined) break
          yield* sandbox
            .refund({ transaction: transaction.reference, amount: step.amount })
            .pipe(Effect.catchTag("ControlError", () => refused))
          break
        case "issue":
          yield* cards
            .issue(
              {
                customer_id: holder?.id ?? "",
                wallet_id: from.id,
                debit_currency: "XOF",
                initial_balance: `0.${String(index).padStart(4, "0")}`
              },
              { key }
            )
            .pipe(Effect.catchTag("UnprocessableError", () => refused))
          break
        case "fail":
          if (pending !== undefined)
            yield* sandbox.settle({ resource: pending.reference, status: "FAILED" })
          break
        case "link":
          yield* sandbox.payLink({ id: link.id })
          break
        case "wait":
          yield* TestClock.adjust("1 second")
      }
      const books = yield* sandbox.ledger
      assert.deepStrictEqual(differences(books), [])
      for (const { available, reserved } of yield* sandbox.wallets) {
        assert.isFalse(`${available}${reserved}`.includes("-"))
      }
    }

    // After settlement nothing is reserved, and the transactions explain the balance.
    yield* TestClock.adjust("1 minute")
    const transactions = yield* sandbox.transactions
    assert.isTrue(transactions.every(Transaction.isNetExact))
    const sumOf = (
      operations: ReadonlyArray<string>,
      members: ReadonlyArray<"amount" | "fee_amount" | "net_amount">
    ) =>
      Amount.sum(
        transactions
          .filter(({ operation }) => operations.includes(String(operation)))
          .flatMap((one) => members.map((member) => one[member]))
      )
    const charged = Amount.sum(
      (yield* cards.list({ per_page: 100 })).data.map(
        ({ charged_amount }) => charged_amount ?? amount("0")
      )
    )
    const after = yield* walletIn("XOF")
    assert.strictEqual(after.reserved, "0.0000")
    assert.isTrue(
      Amount.Equivalence(
        Amount.sum([from.available, sumOf(["COLLECTION"], ["net_amount"])]),
        Amount.sum([
          after.available,
          sumOf(["PAYOUT", "REFUND"], ["amount", "fee_amount"]),
          charged
        ])
      )
    )
    return { refusals, entries: (yield* sandbox.ledger).journal.length }
  }).pipe(
    Effect.provide(layer({ wallets: [{ currency: xof, balance: amount("5000") }], seed: "ledger" }))
  )

describe("random operations", () => {
  Test.effect("keep the ledger balanced, and the balances explained, never below 0", function* () {
    const programs = FastCheck.sample(steps, { numRuns: 10, seed: 42 })
    const played = yield* Effect.forEach(programs, play)
    // The test is only meaningful with both refusals and postings.
    const refusals = played.reduce((sum, { refusals }) => sum + refusals, 0)
    assert.isAbove(refusals, 10)
    const entries = played.reduce((sum, { entries }) => sum + entries, 0)
    assert.isAbove(entries, 200)
  })
})

describe("options", () => {
  tests({ lenient: true, wallets: [{ currency: usd, balance: amount("12.5") }] })(
    "set the wallets, and a missing wallet is opened on demand",
    function* ({ sandbox, payments }) {
      const funds = (yield* sandbox.wallets).map(({ available, currency }) => [currency, available])
      assert.deepStrictEqual(funds, [["USD", "12.5000"]])
      const key = IdempotencyKey.make("ghana")
      const { id } = yield* payments.create(
        { ...collection, country: "GH", currency: "GHS" },
        { key }
      )
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* payments.get(id)).status, "COMPLETED")
      assert.strictEqual((yield* walletIn("GHS")).available, "1477.5000")
    }
  )
})
