/**
 * The wallets of the application. The ledger holds their balances.
 */
import type * as Amount from "@manilla/core/Amount"
import * as Currency from "@manilla/core/Currency"
import * as Wallet from "@manilla/core/Wallet"
import * as Either from "effect/Either"
import type { WalletAccount } from "../Ledger.js"
import type * as Sandbox from "../Sandbox.js"
import type { Identifiers } from "./identifiers.js"
import * as ledger from "./ledger.js"
import * as money from "./money.js"
import * as refusal from "./refusal.js"

/** A wallet and its two ledger accounts. */
export interface Accounts {
  readonly id: Wallet.WalletId
  readonly currency: Currency.Currency
  readonly available: WalletAccount
  readonly reserved: WalletAccount
}

export interface Wallets {
  /** The wallet that receives payments: the first of the currency, opened if there is none. */
  readonly collecting: (currency: Currency.Currency) => Accounts
  /** The wallet that a request debits. `currencyField` names the request field in a refusal. */
  readonly debited: (
    id: string,
    currency: string,
    currencyField: string
  ) => Either.Either<Accounts, refusal.Refusal>
  readonly all: () => ReadonlyArray<Sandbox.Wallet>
}

export interface Options {
  readonly identifiers: Identifiers
  readonly book: ledger.Book
  readonly nowMillis: number
  readonly wallets: ReadonlyArray<Sandbox.OpeningWallet>
}

export const defaults: ReadonlyArray<Sandbox.OpeningWallet> = (
  [
    ["XOF", "100000000"],
    ["XAF", "50000000"],
    ["USD", "10000"],
    ["EUR", "10000"]
  ] as const
).map(([currency, balance]) => ({
  currency: Currency.Currency.make(currency),
  balance: money.fixed(balance)
}))

export const make = ({ book, identifiers, nowMillis, wallets }: Options): Wallets => {
  const opened = new Map<string, Accounts>()

  const open = (
    currency: Currency.Currency,
    id = Wallet.WalletId.make(identifiers.uuid())
  ): Accounts => {
    const wallet: Accounts = {
      id,
      currency,
      available: { kind: "wallet available", currency, wallet_id: id },
      reserved: { kind: "wallet reserved", currency, wallet_id: id }
    }
    opened.set(id.toLowerCase(), wallet)
    book.open(wallet.available)
    book.open(wallet.reserved)
    return wallet
  }

  for (const { balance, currency, id } of wallets) {
    const { available } = open(currency, id)
    book.post(nowMillis, {
      reference: identifiers.reference("WLT"),
      description: "opening balance",
      postings: [
        ledger.debit({ kind: "provider clearing", currency }, balance),
        ledger.credit(available, balance)
      ]
    })
  }

  return {
    collecting: (currency) =>
      Array.from(opened.values()).find((wallet) => wallet.currency === currency) ?? open(currency),
    debited: (id, currency, currencyField) => {
      const wallet = opened.get(id.toLowerCase())
      if (wallet === undefined) return Either.left(unknown)
      return wallet.currency === currency
        ? Either.right(wallet)
        : Either.left(
            refusal.business(
              "CURRENCY_MISMATCH",
              "The wallet has a different currency.",
              currencyField,
              "must be the currency of the wallet"
            )
          )
    },
    all: () =>
      Array.from(opened.values(), ({ available, currency, id, reserved }) => ({
        id,
        currency,
        available: book.balanceOf(available),
        reserved: book.balanceOf(reserved)
      }))
  }
}

const unknown = refusal.business(
  "WALLET_NOT_FOUND",
  "The wallet does not exist.",
  "wallet_id",
  "must be the id of a wallet of the application"
)

/** Postings that reserve funds of a wallet. */
export const reserving = (wallet: Accounts, amount: Amount.Amount) => [
  ledger.debit(wallet.available, amount),
  ledger.credit(wallet.reserved, amount)
]

/** Postings that release reserved funds. */
export const releasing = (wallet: Accounts, amount: Amount.Amount) => [
  ledger.debit(wallet.reserved, amount),
  ledger.credit(wallet.available, amount)
]
