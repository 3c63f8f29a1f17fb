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
 * An account of the ledger. Its kinds:
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
