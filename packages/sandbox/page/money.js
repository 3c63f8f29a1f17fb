// Wallets and the ledger.
import { counted, grouped, money, table, time } from "./parts.js"
import { html } from "./preact.js"
import { useRead } from "./state.js"

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

/**
 * The exact sum of each currency, by currency.
 *
 * @param {ReadonlyArray<{ currency: string, amount: string }>} amounts
 * @returns {Map<string, string>}
 */
export const sums = (amounts) => {
  /** @type {Map<string, bigint>} */
  const units = new Map()
  for (const { amount, currency } of amounts) {
    units.set(currency, (units.get(currency) ?? 0n) + unitsOf(amount))
  }
  return new Map(
    [...units].map(([currency, sum]) => {
      const text = String(sum).padStart(digits + 1, "0")
      return [currency, `${text.slice(0, -digits)}.${text.slice(-digits)}`]
    })
  )
}

/** Whether debits and credits are equal in each currency. @param {Ledger["balances"]} balances */
const isBalanced = (balances) => {
  const [debits, credits] = /** @type {const} */ (["debits", "credits"]).map((side) =>
    sums(balances.map((one) => ({ currency: one.account.currency, amount: one[side] })))
  )
  return [...(debits ?? [])].every(([currency, sum]) => credits?.get(currency) === sum)
}

export const Money = () => {
  /** @type {ReadonlyArray<Wallet> | undefined} */
  const wallets = useRead("/wallets")
  /** @type {Ledger | undefined} */
  const ledger = useRead("/ledger?limit=100")
  if (wallets === undefined || ledger === undefined) return null
  const balanced = isBalanced(ledger.balances)
  const shown = ledger.journal.length
  const moved = ledger.balances.filter(
    ({ credits, debits }) => Number(credits) + Number(debits) > 0
  )
  const still = ledger.balances.length - moved.length
  return html`
    ${table(
      "Wallets",
      [
        ["Currency", (one) => one.currency],
        ["#Available", (one) => money(one.available)],
        ["#Reserved", (one) => money(one.reserved)],
        ["-Id", (one) => html`<code>${one.id}</code>`]
      ],
      wallets,
      ({ id }) => id
    )}
    <p class="note ${balanced ? "good" : "bad"}">${
      balanced
        ? "The ledger is balanced: debits and credits are equal in each currency."
        : "The ledger is not balanced. This is a bug in the sandbox."
    }</p>
    ${table(
      `Balances of the ledger${still > 0 ? `, without ${counted(still, "account")} that never moved` : ""}`,
      [
        ["Account", (one) => nameOf(one.account)],
        ["#-Debits", (one) => money(one.debits)],
        ["#-Credits", (one) => money(one.credits)],
        ["#Balance", (one) => money(one.balance)]
      ],
      moved,
      ({ account }) => nameOf(account)
    )}
    ${table(
      `Entries: ${grouped(ledger.entries)}, newest first${ledger.entries > shown ? `, ${grouped(shown)} shown` : ""}`,
      [
        ["#Entry", (one) => `entry ${one.sequence}`],
        ["-Posted", (one) => time(one.posted_at)],
        ["Description", (one) => html`${one.description}, ${one.reference}`],
        [
          "Postings",
          (one) =>
            html`<ul class="plain">${one.postings.map(
              ({ account, amount, side }) =>
                html`<li><span>${side} ${nameOf(account)}</span> <span class="number">${money(amount)}</span></li>`
            )}</ul>`
        ]
      ],
      [...ledger.journal].reverse(),
      ({ sequence }) => sequence
    )}`
}
