/**
 * The wallets of the application. The ledger holds their balances.
 */
import * as Currency from "@manilla/core/Currency"
import type * as Errors from "@manilla/core/Errors"
import * as Wallet from "@manilla/core/Wallet"
import * as Either from "effect/Either"
import type { WalletBalances } from "../../ControlApi.js"
import type { WalletAccount } from "../../Ledger.js"
import type * as Sandbox from "../../Sandbox.js"
import * as refusal from "../rules/refusal.js"
import type { Identifiers } from "../store/identifiers.js"
import type * as state from "../store/state.js"
import * as money from "./amounts.js"
import * as ledger from "./ledger.js"

type Row = typeof state.WalletRow.Type

/** A wallet and its two ledger accounts. */
export interface Accounts extends Row {
  readonly available: WalletAccount
  readonly reserved: WalletAccount
}

const openings = { XOF: "100000000", XAF: "50000000", USD: "10000", EUR: "10000" }

export const defaults: ReadonlyArray<Sandbox.OpeningWallet> = Object.entries(openings).map(
  ([currency, balance]) => ({
    currency: Currency.Currency.make(currency),
    balance: money.fixed(balance)
  })
)

export const make = (
  { wallets: rows }: state.State,
  identifiers: Identifiers,
  book: ledger.Book
) => {
  const open = (
    currency: Currency.Currency,
    wallet_id = Wallet.makeId(identifiers.uuid())
  ): Accounts => {
    const row = { wallet_id, currency }
    const wallet = accountsOf(row)
    rows.set(row)
    book.open(wallet.available)
    book.open(wallet.reserved)
    return wallet
  }

  return {
    /** Opens a wallet with its balance. */
    open: ({ balance, currency, id }: Sandbox.OpeningWallet, nowMillis: number): void => {
      const { available } = open(currency, id)
      book.post(nowMillis, {
        reference: identifiers.reference("WLT"),
        description: "opening balance",
        postings: ledger.transfer({ kind: "provider clearing", currency }, available, balance)
      })
    },
    /** The wallet that receives payments: the first of the currency, opened if there is none. */
    collecting: (currency: Currency.Currency): Accounts => {
      const first = rows.all().find((wallet) => wallet.currency === currency)
      return first === undefined ? open(currency) : accountsOf(first)
    },
    /** The wallet that a request debits. `currencyField` names the request field in a refusal. */
    debited: (
      id: string,
      currency: string,
      currencyField: string
    ): Either.Either<Accounts, refusal.Refusal> => {
      const row = rows.get(id.toLowerCase())
      if (row === undefined) {
        return refusal.because("WALLET_NOT_FOUND", "wallet_id", "must be the id of a wallet")
      }
      return row.currency === currency
        ? Either.right(accountsOf(row))
        : refusal.because("CURRENCY_MISMATCH", currencyField, "must be the currency of the wallet")
    },
    all: (): ReadonlyArray<WalletBalances> =>
      rows.all().map((row) => {
        const { available, currency, reserved, wallet_id } = accountsOf(row)
        return {
          id: wallet_id,
          currency,
          available: book.balanceOf(available),
          reserved: book.balanceOf(reserved)
        }
      })
  }
}

/** For a request that names the wallet. */
export const unpaid: Errors.Issue = { field: "wallet_id", rule: "must have the amount and the fee" }

export const accountsOf = ({ currency, wallet_id }: Row): Accounts => ({
  wallet_id,
  currency,
  available: { kind: "wallet available", currency, wallet_id },
  reserved: { kind: "wallet reserved", currency, wallet_id }
})
