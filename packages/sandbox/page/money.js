// Wallets and the ledger.
import { call } from "./api.js"
import { byId, h, table } from "./dom.js"

/** @typedef {typeof import("../src/ControlApi.js").Ledger.Encoded} Ledger */
/** @typedef {typeof import("../src/ControlApi.js").WalletBalances.Encoded} Wallet */
/** @typedef {Ledger["balances"][number]["account"]} Account */

/** @param {Account} account */
const nameOf = (account) => {
  const wallet = "wallet_id" in account ? ` ${account.wallet_id.slice(0, 8)}` : ""
  return `${account.kind} ${account.currency}${wallet}`
}

const digits = 12

/** An amount in units of 10^-12, exactly. @param {string} amount */
const unitsOf = (amount) => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(digits, "0"))
}

/** Whether debits and credits are equal in each currency. @param {Ledger["balances"]} balances */
const isBalanced = (balances) => {
  /** @type {Map<string, bigint>} */
  const sums = new Map()
  for (const { account, credits, debits } of balances) {
    const before = sums.get(account.currency) ?? 0n
    sums.set(account.currency, before + unitsOf(debits) - unitsOf(credits))
  }
  return [...sums.values()].every((sum) => sum === 0n)
}

let latest = ""

export const refresh = async () => {
  /** @type {[ReadonlyArray<Wallet>, Ledger]} */
  const [wallets, ledger] = await Promise.all([
    call("GET", "/wallets"),
    call("GET", "/ledger?limit=100")
  ])
  const read = JSON.stringify([wallets, ledger])
  if (read === latest) return
  latest = read
  const balanced = isBalanced(ledger.balances)
  byId("wallets", HTMLElement).replaceChildren(
    table(
      "Wallets",
      [
        ["Currency", (one) => one.currency],
        ["Available", (one) => one.available],
        ["Reserved", (one) => one.reserved],
        ["Id", (one) => one.id]
      ],
      wallets
    )
  )
  byId("ledger", HTMLElement).replaceChildren(
    h(
      "p",
      { class: `note ${balanced ? "good" : "bad"}` },
      balanced
        ? "The ledger is balanced: debits and credits are equal in each currency."
        : "The ledger is not balanced. This is a bug in the sandbox."
    ),
    table(
      "Balances of the ledger",
      [
        ["Account", (one) => nameOf(one.account)],
        ["Debits", (one) => one.debits],
        ["Credits", (one) => one.credits],
        ["Balance", (one) => one.balance]
      ],
      ledger.balances
    ),
    table(
      `Entries: ${ledger.entries}, newest first${ledger.entries > ledger.journal.length ? `, ${ledger.journal.length} shown` : ""}`,
      [
        ["Entry", (one) => `entry ${one.sequence}`],
        ["Posted", (one) => h("time", {}, one.posted_at.slice(0, 23).replace("T", " "))],
        ["Description", (one) => `${one.description}, ${one.reference}`],
        [
          "Postings",
          (one) =>
            h(
              "div",
              {},
              ...one.postings.map(({ account, amount, side }) =>
                h("div", {}, `${side} ${amount} ${nameOf(account)}`)
              )
            )
        ]
      ],
      [...ledger.journal].reverse()
    )
  )
}
