/**
 * The sandbox's ledger. Every movement of money is a journal entry whose debits equal its credits in
 * each currency.
 *
 * @since 0.1.0
 */
import * as Amount from "@manilla/core/Amount"
import { Currency } from "@manilla/core/Currency"
import { Timestamp } from "@manilla/core/Timestamp"
import { WalletId } from "@manilla/core/Wallet"
import * as Schema from "effect/Schema"

/**
 * The side of a posting in double-entry bookkeeping.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Side = Schema.Literal("debit", "credit").annotations({
  description: `one of "debit", "credit"`
})

/**
 * @since 0.1.0
 * @category models
 */
export type Side = typeof Side.Type

/**
 * An account of a wallet: the funds that can be spent, or those that are reserved.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WalletAccount = Schema.Struct({
  kind: Schema.Literal("wallet available", "wallet reserved"),
  currency: Currency,
  wallet_id: WalletId
}).annotations({ identifier: "WalletAccount" })

/**
 * @since 0.1.0
 * @category models
 */
export interface WalletAccount extends Schema.Schema.Type<typeof WalletAccount> {}

/**
 * An account of the emulated service, one for each currency.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ServiceAccount = Schema.Struct({
  kind: Schema.Literal("fees earned", "card float", "provider clearing", "currency exchange"),
  currency: Currency
}).annotations({ identifier: "ServiceAccount" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ServiceAccount extends Schema.Schema.Type<typeof ServiceAccount> {}

/**
 * The kinds of accounts. Each account has one currency.
 *
 * | account              | normal side | balance                                                    |
 * | -------------------- | ----------- | ---------------------------------------------------------- |
 * | `"wallet available"` | credit      | funds that the business can spend                          |
 * | `"wallet reserved"`  | credit      | funds reserved for payouts and refunds that are PENDING    |
 * | `"fees earned"`      | credit      | fees charged by the service                                |
 * | `"card float"`       | credit      | funds loaded on cards, in USD                              |
 * | `"provider clearing"`| debit       | funds that the payment providers hold for the service      |
 * | `"currency exchange"`| debit       | the amount bought of a currency; negative if it was sold   |
 *
 * @since 0.1.0
 * @category models
 */
export type AccountKind = WalletAccount["kind"] | ServiceAccount["kind"]

/**
 * An account of the ledger. `AccountKind` describes the kinds.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Account = Schema.Union(WalletAccount, ServiceAccount).annotations({
  identifier: "Account"
})

/**
 * @since 0.1.0
 * @category models
 */
export type Account = typeof Account.Type

/**
 * A debit or a credit of one account.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Posting = Schema.Struct({
  account: Account,
  side: Side,
  /** Never negative: the side gives the direction. */
  amount: Amount.Amount
}).annotations({ identifier: "Posting" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Posting extends Schema.Schema.Type<typeof Posting> {}

/**
 * A movement of money. In each currency, its debits equal its credits.
 *
 * @since 0.1.0
 * @category schemas
 */
export const JournalEntry = Schema.Struct({
  /** The number of the entry, from 1. */
  sequence: Schema.Number,
  posted_at: Timestamp,
  /** The reference of the resource that moved the money. */
  reference: Schema.String,
  description: Schema.String,
  postings: Schema.Array(Posting)
}).annotations({ identifier: "JournalEntry" })

/**
 * @since 0.1.0
 * @category models
 */
export interface JournalEntry extends Schema.Schema.Type<typeof JournalEntry> {}

/**
 * The sums of an account's postings, and its balance.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Balance = Schema.Struct({
  account: Account,
  debits: Amount.Amount,
  credits: Amount.Amount,
  /** On the account's normal side. */
  balance: Amount.Amount
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Balance extends Schema.Schema.Type<typeof Balance> {}

/**
 * The ledger of a sandbox: its journal, and the balances after the last entry.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ledger {
  /** Oldest first. */
  readonly journal: ReadonlyArray<JournalEntry>
  readonly balances: ReadonlyArray<Balance>
}

/**
 * The side that increases the balance of an account.
 *
 * @since 0.1.0
 * @category accounts
 */
export const normalSide = ({ kind }: Account): Side =>
  kind === "provider clearing" || kind === "currency exchange" ? "debit" : "credit"

/**
 * The display name of an account: `wallet 3f2c8a34 available`.
 *
 * @since 0.1.0
 * @category accounts
 */
export const accountName = (account: Account): string =>
  "wallet_id" in account
    ? account.kind.replace(" ", ` ${account.wallet_id.slice(0, 8)} `)
    : account.kind

/**
 * Formats the trial balance: the net balance of each account, and the totals of both sides per
 * currency, which are equal.
 *
 * ```
 *                                          debit         credit
 * XOF  wallet 3f2c8a34 available                  10,001,477.50
 *      fees earned                                        22.50
 *      provider clearing           10,001,500.00
 *                                  10,001,500.00  10,001,500.00
 * ```
 *
 * @example
 * import * as Ledger from "@manilla/sandbox/Ledger"
 * import * as Sandbox from "@manilla/sandbox/Sandbox"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 *
 * const print = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.Sandbox
 *   yield* Console.log(Ledger.table(yield* sandbox.ledger))
 * })
 *
 * @since 0.1.0
 * @category printing
 */
export const table = ({ balances }: Pick<Ledger, "balances">): string => {
  const print = printer(balances.flatMap(({ credits, debits }) => [debits, credits]))
  const currencies = Array.from(new Set(balances.map(({ account }) => account.currency)))
  const rows = currencies.flatMap((currency) => {
    const columns = balances
      .filter(({ account }) => account.currency === currency)
      .map(({ account, credits, debits }) => ({
        name: accountName(account),
        ...net(debits, credits)
      }))
    const total = (side: Side) => print(Amount.sum(columns.flatMap((column) => column[side] ?? [])))
    return [
      ...columns.map(({ credit, debit, name }, index) => [
        index === 0 ? currency : "",
        name,
        debit === undefined ? "" : print(debit),
        credit === undefined ? "" : print(credit)
      ]),
      ["", "", total("debit"), total("credit")]
    ]
  })
  return aligned([["", "", "debit", "credit"], ...rows])
}

type Columns = { readonly [S in Side]: Amount.Amount | undefined }

const net = (debits: Amount.Amount, credits: Amount.Amount): Columns =>
  Amount.Order(debits, credits) > 0
    ? { debit: Amount.subtract(debits, credits), credit: undefined }
    : { debit: undefined, credit: Amount.subtract(credits, debits) }

/** Prints amounts such as `1500.0000` as `1,500.00`, with spaces so that the decimal points are aligned. */
const printer = (amounts: ReadonlyArray<Amount.Amount>) => {
  const split = (amount: Amount.Amount) => {
    const [whole = "", fraction = ""] = amount.split(".")
    return [whole, fraction.replace(/0+$/, "").padEnd(2, "0")] as const
  }
  const digits = widest(amounts.map((amount) => split(amount)[1]))
  return (amount: Amount.Amount): string => {
    const [whole, fraction] = split(amount)
    return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${fraction.padEnd(digits)}`
  }
}

const widest = (texts: ReadonlyArray<string>): number =>
  texts.reduce((longest, { length }) => Math.max(longest, length), 0)

/** Right-aligns the amounts, which are the last two columns. */
const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = [0, 1, 2, 3].map((column) => widest(rows.map((row) => row[column] ?? "")))
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n")
}
