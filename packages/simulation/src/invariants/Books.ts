/**
 * The books of the service, and the invariants within them: everything has settled, every sum is zero,
 * and the transactions explain each balance.
 */
import * as Amount from "@manilla/core/Amount"
import type * as ControlApi from "@manilla/sandbox/ControlApi"
import type * as Ledger from "@manilla/sandbox/Ledger"
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import type * as ServiceApi from "@manilla/service/ServiceApi"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

interface Resource {
  readonly id?: string | undefined
  readonly status?: string | null | undefined
  readonly reference?: string | undefined
  readonly amount?: Amount.Amount | undefined
}

/** The resources that each declared write makes. The compiler reports a missing write. */
const resources = (sandbox: Sandbox.Service) =>
  ({
    "Payments.create": sandbox.paymentIntents,
    "Payouts.create": sandbox.payouts,
    "Cards.issue": sandbox.cards,
    "PaymentLinks.create": sandbox.paymentLinks
  }) satisfies Readonly<Record<ServiceApi.WriteName, Effect.Effect<ReadonlyArray<Resource>>>>

/** The writes whose resources settle: each one that completes has one transaction of its amount. */
const settling: Readonly<Record<ServiceApi.WriteName, boolean>> = {
  "Payments.create": true,
  "Payouts.create": true,
  "Cards.issue": false,
  "PaymentLinks.create": false
}

type Resources = ReturnType<typeof resources>

export type Made = {
  readonly [Name in keyof Resources]: Effect.Effect.Success<Resources[Name]>
}

export interface Books {
  /** The resources that the writes made. */
  readonly made: Made
  readonly transactions: ReadonlyArray<Sandbox.StoredTransaction>
  readonly wallets: ReadonlyArray<ControlApi.WalletBalances>
  readonly ledger: Ledger.Ledger
}

export const read = (sandbox: Sandbox.Service): Effect.Effect<Books> =>
  Effect.gen(function* () {
    return {
      made: yield* Effect.all(resources(sandbox)),
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

export const zero = Amount.Amount.make("0")

const settlingIn = ({ made }: Books): ReadonlyArray<Resource> =>
  Record.toEntries<keyof Made, ReadonlyArray<Resource>>(made).flatMap(([name, rows]) =>
    settling[name] ? rows : []
  )

export const settled = (books: Books): ReadonlyArray<string> => [
  ...settlingIn(books).flatMap(({ reference, status }) =>
    status === "PENDING" ? [`${reference} has not settled`] : []
  ),
  ...books.wallets.flatMap(({ currency, reserved }) =>
    Amount.Equivalence(reserved, zero) ? [] : [`${reserved} ${currency} is still reserved`]
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
    if ([available, reserved].some((balance) => Amount.Order(balance, zero) < 0)) {
      violations.push(`the balance of the wallet in ${currency} is negative`)
    }
    const isAvailable = ({ account }: Ledger.Posting) =>
      account.kind === "wallet available" && account.wallet_id === id
    let balance = zero
    for (const entry of ledger.journal) {
      const matching = entry.postings.filter(isAvailable)
      balance = Amount.subtract(
        Amount.sum([balance, sideOf("credit", matching, currency)]),
        sideOf("debit", matching, currency)
      )
      if (Amount.Order(balance, zero) < 0) {
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
  const { ledger, made, transactions, wallets } = books
  const cards = made["Cards.issue"]

  for (const { amount = zero, reference, status } of settlingIn(books)) {
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
