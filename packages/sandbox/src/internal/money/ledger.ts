/**
 * A double-entry ledger. It refuses an entry whose debits and credits differ in a currency, and one
 * that would make a wallet negative. An entry is posted completely or not at all.
 */
import * as Amount from "@manilla/core/Amount"
import type * as Errors from "@manilla/core/Errors"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Ledger from "../../Ledger.js"
import * as refusal from "../rules/refusal.js"
import * as state from "../store/state.js"
import * as moment from "../time/moment.js"

export interface Draft {
  readonly reference: string
  readonly description: string
  readonly postings: ReadonlyArray<Ledger.Posting>
  /** The field of the request that is refused if a wallet has too little. */
  readonly unpaid?: Errors.Issue
}

type Totals = typeof state.Totals.Type

/** The parts of the state that are the ledger. */
export type Tables = Pick<state.State, "journal" | "ledger_accounts">

export interface Book extends ReturnType<typeof make> {}

/** Whether each entry balances, and the balances are those of the journal. */
export const isSound = (tables: Tables): boolean => {
  const book = make(state.make())
  for (const { account } of tables.ledger_accounts.all()) book.open(account)
  const arePosted = tables.journal
    .all()
    .every((entry, index) => entry.sequence === index + 1 && Either.isRight(book.post(0, entry)))
  const written = ({ read }: Book) => JSON.stringify(read().balances)
  return arePosted && written(book) === written(make(tables))
}

export const make = ({ journal, ledger_accounts: accounts }: Tables) => {
  const totalsOf = (account: Ledger.Account): Totals =>
    accounts.get(state.ledgerAccountOf(account)) ?? { account, debit: zero, credit: zero }

  const post = (
    atMillis: number,
    draft: Draft
  ): Either.Either<Ledger.JournalEntry, refusal.Refusal> => {
    // Postings of zero are dropped.
    const postings = draft.postings.filter(
      ({ amount }) => !BigDecimal.isZero(Amount.toBigDecimal(amount))
    )
    if (!isBalanced(postings)) return Either.left(refusal.of("LEDGER_UNBALANCED"))
    const changed = new Map<string, Totals>()
    for (const { account, amount, side } of postings) {
      const before = changed.get(state.ledgerAccountOf(account)) ?? totalsOf(account)
      changed.set(state.ledgerAccountOf(account), {
        ...before,
        [side]: BigDecimal.sum(before[side], Amount.toBigDecimal(amount))
      })
    }
    for (const after of changed.values()) {
      if ("wallet_id" in after.account && BigDecimal.isNegative(balance(after))) {
        const issues = draft.unpaid === undefined ? {} : { issues: [draft.unpaid] }
        return Either.left(refusal.of("INSUFFICIENT_FUNDS", issues))
      }
    }
    for (const after of changed.values()) accounts.set(after)
    const entry: Ledger.JournalEntry = {
      sequence: journal.size + 1,
      posted_at: moment.fromMillis(atMillis),
      reference: draft.reference,
      description: draft.description,
      postings
    }
    journal.set(entry)
    return Either.right(entry)
  }

  return {
    /** Lists an account in the balances before its first posting. */
    open: (account: Ledger.Account) => accounts.set(totalsOf(account)),
    post,
    /** The balance on the account's normal side. */
    balanceOf: (account: Ledger.Account) => toAmount(balance(totalsOf(account))),
    /** An immutable snapshot of the ledger. */
    read: (): Ledger.Ledger => ({
      journal: journal.all(),
      balances: accounts.all().map((each) => ({
        account: each.account,
        debits: toAmount(each.debit),
        credits: toAmount(each.credit),
        balance: toAmount(balance(each))
      }))
    })
  }
}

const posting =
  (side: Ledger.Side) =>
  (account: Ledger.Account, amount: Amount.Amount): Ledger.Posting => ({ account, side, amount })

export const debit = posting("debit")
export const credit = posting("credit")

/** Moves an amount between two accounts of a currency. */
export const transfer = (from: Ledger.Account, to: Ledger.Account, amount: Amount.Amount) => [
  debit(from, amount),
  credit(to, amount)
]

const zero = BigDecimal.make(0n, 0)

const balance = ({ account, credit, debit }: Totals): BigDecimal.BigDecimal =>
  Ledger.normalSide(account) === "debit"
    ? BigDecimal.subtract(debit, credit)
    : BigDecimal.subtract(credit, debit)

/** Formats with at least four decimals, and more if they are significant. */
const toAmount = (decimal: BigDecimal.BigDecimal): Amount.Amount => {
  const { scale } = BigDecimal.normalize(decimal)
  return Amount.fromBigDecimal(BigDecimal.scale(decimal, Math.max(4, scale)))
}

const isBalanced = (postings: ReadonlyArray<Ledger.Posting>): boolean => {
  const differences = new Map<string, BigDecimal.BigDecimal>()
  for (const { account, amount, side } of postings) {
    const decimal = Amount.toBigDecimal(amount)
    // A negative amount would be a posting to the other side.
    if (BigDecimal.isNegative(decimal)) return false
    const before = differences.get(account.currency) ?? zero
    differences.set(
      account.currency,
      side === "debit" ? BigDecimal.sum(before, decimal) : BigDecimal.subtract(before, decimal)
    )
  }
  return Array.from(differences.values()).every((difference) => BigDecimal.isZero(difference))
}
