/** The trial balance of a ledger as text: the net balance of each account, and the sums of both sides, which are equal. */
import { Amount } from "@manilla/core"
import type { Ledger } from "@manilla/sandbox"
import { Array } from "effect"

/** `1500.0000` as `1,500.00`, and spaces so that the decimal points of a column are below each other. */
const print = (amount: Amount.Amount): string => {
  const [whole = "", fraction = ""] = amount.split(".")
  const cents = fraction.replace(/0+$/, "").padEnd(2, "0")
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents.padEnd(8)}`
}

/** Such as `wallet 3f2c8a34 available`. */
const nameOf = (account: Ledger.Account): string =>
  "wallet_id" in account
    ? account.kind.replace(" ", ` ${account.wallet_id.slice(0, 8)} `)
    : account.kind

const line = (currency: string, name: string, debit: string, credit: string) =>
  `${currency.padEnd(5)}${name.padEnd(26)}${debit.padStart(22)}${credit.padStart(22)}`.trimEnd()

const linesOf = (currency: string, balances: ReadonlyArray<Ledger.Balance>) => {
  const rows = balances.map(({ account, credits, debits }) => ({
    name: nameOf(account),
    side: Amount.Order(debits, credits) > 0 ? "debit" : "credit",
    net:
      Amount.Order(debits, credits) > 0
        ? Amount.subtract(debits, credits)
        : Amount.subtract(credits, debits)
  }))
  const total = (side: Ledger.Side) =>
    print(Amount.sum(rows.filter((row) => row.side === side).map(({ net }) => net)))
  return [
    ...rows.map(({ name, net, side }, index) =>
      line(
        index === 0 ? currency : "",
        name,
        side === "debit" ? print(net) : "",
        side === "credit" ? print(net) : ""
      )
    ),
    line("", "", total("debit"), total("credit"))
  ]
}

export const trialBalance = ({ balances }: Pick<Ledger.Ledger, "balances">): string => {
  const byCurrency = Object.entries(Array.groupBy(balances, ({ account }) => account.currency))
  const lines = byCurrency.map(([currency, own]) => linesOf(currency, own))
  return [line("", "", "debit       ", "credit       "), ...lines.flat()].join("\n")
}
