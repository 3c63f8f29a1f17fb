/**
 * The books of the service, and the invariants within them: everything has settled, every sum is zero,
 * and the transactions explain each balance.
 */
import type * as Card from "@manilla/cards/Card"
import * as Amount from "@manilla/core/Amount"
import type * as PaymentLink from "@manilla/payment-links/PaymentLink"
import type * as ControlApi from "@manilla/sandbox/ControlApi"
import type * as Ledger from "@manilla/sandbox/Ledger"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Writes from "../Writes.js"

export interface Books {
  /** The resources that each write made. */
  readonly made: Readonly<Record<ServiceApi.WriteName, ReadonlyArray<Writes.Made>>>
  readonly cards: ReadonlyArray<Card.Card>
  readonly links: ReadonlyArray<PaymentLink.PaymentLink>
  readonly transactions: ReadonlyArray<Sandbox.StoredTransaction>
  readonly wallets: ReadonlyArray<ControlApi.WalletBalances>
  readonly ledger: Ledger.Ledger
}

export const read = (sandbox: Sandbox.Service): Effect.Effect<Books> =>
  Effect.gen(function* () {
    return {
      made: yield* Effect.all(Record.map(Writes.all, ({ made }) => made(sandbox))),
      cards: yield* sandbox.cards,
      links: yield* sandbox.paymentLinks,
      transactions: yield* sandbox.transactions,
      wallets: yield* sandbox.wallets,
      ledger: yield* sandbox.ledger
    }
  })

/** The members that differ between the request and the resource, ignoring absent ones. */
export const differences = (
  requested: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>
): ReadonlyArray<string> =>
  Object.entries(requested).flatMap(([name, value]) => {
    const found = Redacted.isRedacted(actual[name]) ? Redacted.value(actual[name]) : actual[name]
    if (!Predicate.isString(value) || !Predicate.isString(found)) return []
    const same =
      isAmount(value) && isAmount(found) ? Amount.Equivalence(value, found) : value === found
    return same ? [] : [`${name} ${found} instead of ${value}`]
  })

const isAmount = Schema.is(Amount.Amount)

const settlingIn = ({ made }: Books): ReadonlyArray<Writes.Made> =>
  Record.toEntries(made).flatMap(([name, rows]) => (Writes.all[name].settles ? rows : []))

export const settled = (books: Books): ReadonlyArray<string> => [
  ...settlingIn(books).flatMap(({ reference, status }) =>
    status === "PENDING" ? [`${reference} has not settled`] : []
  ),
  ...books.wallets.flatMap(({ currency, reserved }) =>
    Amount.Equivalence(reserved, Writes.zero) ? [] : [`${reserved} ${currency} is still reserved`]
  )
]

/** Debits equal credits per entry and in total, no balance is ever negative, and balances add up. */
export const balanced = ({ ledger, wallets }: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const postings = ledger.journal.flatMap((entry) => entry.postings)
  const sideOf = (side: Ledger.Side, of: ReadonlyArray<Ledger.Posting>, currency: string) =>
    Amount.sum(
      of.flatMap((one) =>
        one.side === side && one.account.currency === currency ? one.amount : []
      )
    )
  const currencies = new Set(postings.map(({ account }) => account.currency))
  for (const currency of currencies) {
    const differs = (of: ReadonlyArray<Ledger.Posting>) =>
      !Amount.Equivalence(sideOf("debit", of, currency), sideOf("credit", of, currency))
    if (differs(postings)) violations.push(`the ledger does not sum to zero in ${currency}`)
    for (const entry of ledger.journal) {
      if (differs(entry.postings)) violations.push(`entry ${entry.sequence} is not balanced`)
    }
  }
  for (const wallet of wallets) {
    const { available, currency, id, reserved } = wallet
    if ([available, reserved].some((balance) => Amount.Order(balance, Writes.zero) < 0)) {
      violations.push(`the balance of the wallet in ${currency} is negative`)
    }
    const isAvailable = ({ account }: Ledger.Posting) =>
      account.kind === "wallet available" && account.wallet_id === id
    let balance = Writes.zero
    for (const entry of ledger.journal) {
      const matching = entry.postings.filter(isAvailable)
      balance = Amount.subtract(
        Amount.sum([balance, sideOf("credit", matching, currency)]),
        sideOf("debit", matching, currency)
      )
      if (Amount.Order(balance, Writes.zero) < 0) {
        violations.push(`entry ${entry.sequence} made the wallet in ${currency} negative`)
      }
    }
    if (!Amount.Equivalence(balance, available)) {
      violations.push(
        `the wallet in ${currency} has ${available}, but its entries sum to ${balance}`
      )
    }
  }
  return violations
}

/** The operations of transactions whose net amount a wallet receives, and those that it pays with the fee. */
const received: ReadonlyArray<string> = ["COLLECTION", "DEPOSIT"]
const paid: ReadonlyArray<string> = ["PAYOUT", "REFUND"]

/** Every movement has a transaction, and each balance is the sum of the transactions. */
export const accountedFor = (books: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { cards, ledger, transactions, wallets } = books

  for (const { amount = Writes.zero, reference, status } of settlingIn(books)) {
    const matching = transactions.filter(({ source }) => source === reference)
    const expected = status === "COMPLETED" ? 1 : 0
    if (matching.length !== expected) {
      violations.push(`${reference} is ${status}, but has ${matching.length} transactions`)
    }
    if (matching.some((one) => !Amount.Equivalence(one.amount, amount))) {
      violations.push(`the transaction of ${reference} has a different amount`)
    }
  }
  const issued = ledger.journal.filter(({ description }) => description === "card issued")
  if (issued.length !== cards.length) {
    violations.push(`${issued.length} cards were paid for, but ${cards.length} exist`)
  }

  for (const { operation, reference } of transactions) {
    if (![...received, ...paid].includes(operation)) {
      violations.push(`${reference} has the operation ${operation}, which no wallet accounts for`)
    }
  }

  for (const { available, currency } of wallets) {
    const opening = ledger.journal
      .filter(({ description }) => description === "opening balance")
      .flatMap((entry) => entry.postings)
      .filter(({ account }) => account.kind === "wallet available")
    const moved = transactions.filter((one) => one.currency === currency)
    const of = (operations: ReadonlyArray<string>) =>
      moved.filter(({ operation }) => operations.includes(operation))
    const incoming = [
      ...opening.filter(({ account }) => account.currency === currency).map((one) => one.amount),
      ...of(received).map((one) => one.net_amount)
    ]
    const outgoing = [
      ...of(paid).flatMap((one) => [one.amount, one.fee_amount]),
      ...cards.flatMap((card) =>
        card.charged_currency === currency ? (card.charged_amount ?? []) : []
      )
    ]
    const expected = Amount.subtract(Amount.sum(incoming), Amount.sum(outgoing))
    if (!Amount.Equivalence(expected, available)) {
      violations.push(
        `the wallet in ${currency} has ${available}, but its transactions sum to ${expected}`
      )
    }
  }
  return violations
}
