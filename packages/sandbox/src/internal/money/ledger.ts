/**
 * A double-entry ledger. It refuses an entry whose debits and credits differ in a currency, and one
 * that would make a wallet negative. An entry is posted completely or not at all.
 */
import * as Amount from "@manilla/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Ledger from "../../Ledger.js"
import * as refusal from "../rules/refusal.js"
import * as table from "../store/table.js"
import * as moment from "../time/moment.js"

export interface Draft {
  readonly reference: string
  readonly description: string
  readonly postings: ReadonlyArray<Ledger.Posting>
}

export interface Book {
  /** Lists an account in the balances before its first posting. */
  readonly open: (account: Ledger.Account) => void
  readonly post: (
    atMillis: number,
    draft: Draft
  ) => Either.Either<Ledger.JournalEntry, refusal.Refusal>
  /** The balance on the account's normal side. */
  readonly balanceOf: (account: Ledger.Account) => Amount.Amount
  /** An immutable snapshot of the ledger. */
  readonly read: () => Ledger.Ledger
}

const Totals = Schema.Struct({
  account: Ledger.Account,
  debit: Schema.BigDecimal,
  credit: Schema.BigDecimal
})

type Totals = typeof Totals.Type

export const declaredJournal = table.table(Ledger.JournalEntry, ({ sequence }) => String(sequence))
export const declaredAccounts = table.table(Totals, ({ account }) => codeOf(account))

export interface Tables {
  readonly journal: table.Table<Ledger.JournalEntry>
  readonly accounts: table.Table<Totals>
}

/** Whether each entry balances, and the balances are those of the journal. */
export const isSound = ({ accounts, journal }: Tables): boolean => {
  const entries = journal.all()
  const again = {
    journal: table.makeTable(declaredJournal),
    accounts: table.makeTable(declaredAccounts)
  }
  const book = make(again)
  for (const { account } of accounts.all()) book.open(account)
  const arePosted = entries.every((entry, index) => {
    if (entry.sequence !== index + 1) return false
    return Either.isRight(book.post(0, entry))
  })
  return (
    arePosted &&
    again.accounts.size() === accounts.size() &&
    again.accounts.all().every((replayed) => {
      const stored = accounts.get(codeOf(replayed.account))
      return stored !== undefined && isSame(replayed, stored)
    })
  )
}

const isSame = (a: Totals, b: Totals): boolean =>
  BigDecimal.equals(a.debit, b.debit) && BigDecimal.equals(a.credit, b.credit)

export const make = ({ accounts, journal }: Tables): Book => {
  const totalsOf = (account: Ledger.Account): Totals =>
    accounts.get(codeOf(account)) ?? { account, debit: zero, credit: zero }

  const post: Book["post"] = (atMillis, draft) => {
    // Postings of zero are dropped.
    const postings = draft.postings.filter(
      ({ amount }) => !BigDecimal.isZero(Amount.toBigDecimal(amount))
    )
    if (!isBalanced(postings)) return Either.left(unbalanced)
    const changed = new Map<string, Totals>()
    for (const { account, amount, side } of postings) {
      const before = changed.get(codeOf(account)) ?? totalsOf(account)
      changed.set(codeOf(account), {
        ...before,
        [side]: BigDecimal.sum(before[side], Amount.toBigDecimal(amount))
      })
    }
    for (const after of changed.values()) {
      if ("wallet_id" in after.account && BigDecimal.isNegative(balance(after))) {
        return Either.left(insufficientFunds)
      }
    }
    for (const after of changed.values()) accounts.set(after)
    const entry: Ledger.JournalEntry = {
      sequence: journal.size() + 1,
      posted_at: moment.fromMillis(atMillis),
      reference: draft.reference,
      description: draft.description,
      postings
    }
    journal.set(entry)
    return Either.right(entry)
  }

  return {
    open: (account) => {
      accounts.set(totalsOf(account))
    },
    post,
    balanceOf: (account) => toAmount(balance(totalsOf(account))),
    read: () => ({
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

export const debit = (account: Ledger.Account, amount: Amount.Amount): Ledger.Posting => ({
  account,
  side: "debit",
  amount
})

export const credit = (account: Ledger.Account, amount: Amount.Amount): Ledger.Posting => ({
  account,
  side: "credit",
  amount
})

const zero = BigDecimal.make(0n, 0)

const codeOf = (account: Ledger.Account): string =>
  [account.kind, "wallet_id" in account ? account.wallet_id : "", account.currency].join(":")

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

const unbalanced = new refusal.Refusal({
  status: 500,
  code: "LEDGER_UNBALANCED",
  message: "Internal error in the sandbox: the debits of an entry do not equal its credits."
})

const insufficientFunds = refusal.business(
  "INSUFFICIENT_FUNDS",
  "wallet_id",
  "must be a wallet with sufficient funds for the amount and the fee"
)
