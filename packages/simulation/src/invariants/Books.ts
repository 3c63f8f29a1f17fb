/**
 * The books of the service, which agree with themselves: all has settled, every sum is zero, and
 * what is in the wallets was moved there.
 */
import type { Card } from "@manilla/cards/Card"
import * as Amount from "@manilla/core/Amount"
import type { PaymentLink } from "@manilla/payment-links/PaymentLink"
import type * as Ledger from "@manilla/sandbox/Ledger"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export interface Books {
  readonly intents: ReadonlyArray<Sandbox.StoredPaymentIntent>
  readonly payouts: ReadonlyArray<Sandbox.StoredPayout>
  readonly cards: ReadonlyArray<Card>
  readonly links: ReadonlyArray<PaymentLink>
  readonly transactions: ReadonlyArray<Sandbox.StoredTransaction>
  readonly wallets: ReadonlyArray<Sandbox.Wallet>
  readonly ledger: Ledger.Ledger
}

export const read = (sandbox: Sandbox.Service): Effect.Effect<Books> =>
  Effect.gen(function* () {
    return {
      intents: yield* sandbox.paymentIntents,
      payouts: yield* sandbox.payouts,
      cards: yield* sandbox.cards,
      links: yield* sandbox.paymentLinks,
      transactions: yield* sandbox.transactions,
      wallets: yield* sandbox.wallets,
      ledger: yield* sandbox.ledger
    }
  })

/** The members that were made otherwise than they were wanted, as far as the books have them. */
export const unlike = (
  wanted: Readonly<Record<string, unknown>>,
  made: Readonly<Record<string, unknown>>
): ReadonlyArray<string> =>
  Object.entries(wanted).flatMap(([name, value]) => {
    const kept = Redacted.isRedacted(made[name]) ? Redacted.value(made[name]) : made[name]
    if (!Predicate.isString(value) || !Predicate.isString(kept)) return []
    const same =
      isAmount(value) && isAmount(kept) ? Amount.Equivalence(value, kept) : value === kept
    return same ? [] : [`${name} ${kept}, and ${value} was wanted`]
  })

const isAmount = Schema.is(Amount.Amount)

export const nothing = Amount.Amount.make("0")

export const settled = ({ intents, payouts, wallets }: Books): ReadonlyArray<string> => [
  ...[...intents, ...payouts].flatMap(({ reference, status }) =>
    status === "PENDING" ? [`${reference} has not settled`] : []
  ),
  ...wallets.flatMap(({ currency, reserved }) =>
    Amount.Equivalence(reserved, nothing) ? [] : [`${reserved} ${currency} is still reserved`]
  )
]

/** Debits are credits, in each entry and in all; no wallet is ever below zero; the balances add up. */
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
    if ([available, reserved].some((balance) => Amount.compare(balance, nothing) < 0)) {
      violations.push(`the wallet in ${currency} is below zero`)
    }
    const isOwn = ({ account }: Ledger.Posting) =>
      account.kind === "wallet available" && account.wallet_id === id
    let kept = nothing
    for (const entry of ledger.journal) {
      const own = entry.postings.filter(isOwn)
      kept = Amount.subtract(
        Amount.sum([kept, sideOf("credit", own, currency)]),
        sideOf("debit", own, currency)
      )
      if (Amount.compare(kept, nothing) < 0) {
        violations.push(`entry ${entry.sequence} took the wallet in ${currency} below zero`)
      }
    }
    if (!Amount.Equivalence(kept, available)) {
      violations.push(`the wallet in ${currency} has ${available}, and its entries give ${kept}`)
    }
  }
  return violations
}

/** Every movement is a transaction that the client can see, and the wallets hold what they sum to. */
export const accountedFor = (books: Books): ReadonlyArray<string> => {
  const violations: Array<string> = []
  const { cards, intents, ledger, payouts, transactions, wallets } = books

  for (const { amount, reference, status } of [...intents, ...payouts]) {
    const own = transactions.filter(({ source }) => source === reference)
    const expected = status === "COMPLETED" ? 1 : 0
    if (own.length !== expected) {
      violations.push(`${reference} is ${status}, and has ${own.length} transactions`)
    }
    if (own.some((one) => !Amount.Equivalence(one.amount, amount))) {
      violations.push(`the transaction of ${reference} is of another amount`)
    }
  }
  const issued = ledger.journal.filter(({ description }) => description === "card issued")
  if (issued.length !== cards.length) {
    violations.push(`${issued.length} cards were paid for, and there are ${cards.length}`)
  }

  for (const { available, currency } of wallets) {
    const opening = ledger.journal
      .filter(({ description }) => description === "opening balance")
      .flatMap((entry) => entry.postings)
      .filter(({ account }) => account.kind === "wallet available")
    const moved = transactions.filter((one) => one.currency === currency)
    const of = (...operations: ReadonlyArray<string>) =>
      moved.filter(({ operation }) => operations.includes(operation ?? ""))
    const incoming = [
      ...opening.filter(({ account }) => account.currency === currency).map((one) => one.amount),
      ...of("COLLECTION", "DEPOSIT").map((one) => one.net_amount)
    ]
    const outgoing = [
      ...of("PAYOUT", "REFUND").flatMap((one) => [one.amount, one.fee_amount]),
      ...cards.flatMap((card) =>
        card.charged_currency === currency ? (card.charged_amount ?? []) : []
      )
    ]
    const expected = Amount.subtract(Amount.sum(incoming), Amount.sum(outgoing))
    if (!Amount.Equivalence(expected, available)) {
      violations.push(`the wallet in ${currency} has ${available}, and ${expected} was moved to it`)
    }
  }
  return violations
}
