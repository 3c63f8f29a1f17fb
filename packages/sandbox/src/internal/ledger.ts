/**
 * The books, kept by double entry: an entry whose debits and credits differ in a currency is
 * refused, and so is one that would take a wallet below zero. Either all of an entry is posted, or
 * nothing.
 */
import * as Amount from "@manilla/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Ledger from "../Ledger.js"
import * as moment from "./moment.js"
import * as refusal from "./refusal.js"

export interface Draft {
  readonly reference: string
  readonly description: string
  readonly postings: ReadonlyArray<Ledger.Posting>
}

export interface Book {
  /** Shows an account in the balances before anything was posted to it. */
  readonly open: (account: Ledger.Account) => void
  readonly post: (
    atMillis: number,
    draft: Draft
  ) => Either.Either<Ledger.JournalEntry, refusal.Refusal>
  /** On the account's normal side. */
  readonly balanceOf: (account: Ledger.Account) => Amount.Amount
  /** The books as they are: later entries do not change it. */
  readonly read: () => Ledger.Ledger
}

interface Kept {
  readonly account: Ledger.Account
  readonly debit: BigDecimal.BigDecimal
  readonly credit: BigDecimal.BigDecimal
}

export const make = (): Book => {
  const journal: Array<Ledger.JournalEntry> = []
  const accounts = new Map<string, Kept>()

  const kept = (account: Ledger.Account): Kept =>
    accounts.get(codeOf(account)) ?? { account, debit: nothing, credit: nothing }

  const post: Book["post"] = (atMillis, draft) => {
    // What is nothing says nothing.
    const postings = draft.postings.filter(
      ({ amount }) => !BigDecimal.isZero(Amount.toBigDecimal(amount))
    )
    if (!isBalanced(postings)) return Either.left(unbalanced)
    const changed = new Map<string, Kept>()
    for (const { account, amount, side } of postings) {
      const before = changed.get(codeOf(account)) ?? kept(account)
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
    for (const [code, after] of changed) accounts.set(code, after)
    const entry: Ledger.JournalEntry = {
      sequence: journal.length + 1,
      posted_at: moment.fromMillis(atMillis),
      reference: draft.reference,
      description: draft.description,
      postings
    }
    journal.push(entry)
    return Either.right(entry)
  }

  return {
    open: (account) => {
      accounts.set(codeOf(account), kept(account))
    },
    post,
    balanceOf: (account) => written(balance(kept(account))),
    read: () => ({
      journal: journal.slice(),
      balances: Array.from(accounts.values(), (each) => ({
        account: each.account,
        debits: written(each.debit),
        credits: written(each.credit),
        balance: written(balance(each))
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

const nothing = BigDecimal.make(0n, 0)

const codeOf = (account: Ledger.Account): string =>
  [account.kind, "wallet_id" in account ? account.wallet_id : "", account.currency].join(":")

const balance = ({ account, credit, debit }: Kept): BigDecimal.BigDecimal =>
  Ledger.normalSide(account) === "debit"
    ? BigDecimal.subtract(debit, credit)
    : BigDecimal.subtract(credit, debit)

/** With four decimals, or with more where they say something. */
const written = (decimal: BigDecimal.BigDecimal): Amount.Amount => {
  const { scale } = BigDecimal.normalize(decimal)
  return Amount.fromBigDecimal(BigDecimal.scale(decimal, Math.max(4, scale)))
}

const isBalanced = (postings: ReadonlyArray<Ledger.Posting>): boolean => {
  const differences = new Map<string, BigDecimal.BigDecimal>()
  for (const { account, amount, side } of postings) {
    const decimal = Amount.toBigDecimal(amount)
    // A negative amount would be a posting to the other side in disguise.
    if (BigDecimal.isNegative(decimal)) return false
    const before = differences.get(account.currency) ?? nothing
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
  message: "The sandbox has a fault of its own: an entry's debits are not its credits."
})

const insufficientFunds = refusal.business(
  "INSUFFICIENT_FUNDS",
  "The wallet does not have the money.",
  "wallet_id",
  "must be a wallet that has the amount and the fee available"
)
