// The sandbox at a glance.
import { counted, empty, firstPayment, money, table, tile } from "./parts.js"
import { kinds } from "./kinds.js"
import { sums } from "./money.js"
import { html } from "./preact.js"
import { journal } from "./requests.js"
import { addressOf, state, useRead } from "./state.js"
import { isFailed } from "./story.js"

/** @typedef {typeof import("../src/ControlApi.js").Credentials.Encoded} Credentials */
/** @typedef {import("./kinds.js").Resources} Resources */
/** @typedef {import("./kinds.js").Row} Row */
/** @typedef {typeof import("../src/ControlApi.js").WalletBalances.Encoded} Wallet */

export const Overview = () => {
  /** @type {Resources | undefined} */
  const resources = useRead("/resources?limit=1000")
  /** @type {ReadonlyArray<Wallet> | undefined} */
  const wallets = useRead("/wallets")
  /** @type {Credentials | undefined} */
  const credentials = useRead("/credentials")
  if (resources === undefined || wallets === undefined) return null
  const requests = [...state.requests.values()]
  const { refunds, transactions } = resources
  const failed = requests.filter(isFailed)
  const replays = requests.filter(({ replay }) => replay)
  /** @type {ReadonlyArray<Row>} */
  const all = kinds.flatMap((kind) => /** @type {ReadonlyArray<Row>} */ (resources[kind]))
  const pending = all.filter(({ status }) => status === "PENDING")
  const collected = transactions.filter(({ operation }) => /^(COLLECTION|DEPOSIT)$/.test(operation))
  const [money_in, out, waiting] = [
    sums(collected),
    sums(transactions.filter(({ operation }) => /^(PAYOUT|REFUND)$/.test(operation))),
    sums(
      pending.flatMap(({ amount, currency }) => (amount && currency ? [{ amount, currency }] : []))
    )
  ]
  const used = wallets.filter(({ currency }) =>
    [money_in, out, waiting].some((sum) => sum.has(currency))
  )
  return html`
    ${requests.length === 0 && empty("No request has arrived yet. These lines send a first payment:", firstPayment(credentials))}
    <ul class="tiles">
      ${tile("Requests", requests.length, "#requests", requests.length < 1000 ? "since the start" : "the newest")}
      ${tile("Failed", failed.length, addressOf("requests", { find: "failed" }), "refused, faulted or without a response", "bad")}
      ${tile("Replays", replays.length, addressOf("requests", { find: "replay" }), "a known key, nothing new made")}
      ${tile("Pending", pending.length, "#resources", "neither completed nor failed")}
    </ul>
    ${table(
      "Money by currency",
      [
        ["Currency", ({ currency }) => currency],
        ["#In", ({ currency }) => money(money_in.get(currency) ?? "0")],
        ["#Out", ({ currency }) => money(out.get(currency) ?? "0")],
        ["#-Pending", ({ currency }) => money(waiting.get(currency) ?? "0")],
        ["#Available", ({ available }) => money(available)]
      ],
      used.length > 0 ? used : wallets,
      ({ id }) => id,
      "lines"
    )}
    ${requests.length > 0 && journal("The latest requests", requests.slice(-10))}
    <p class="hint">${counted(collected.length, "payment")} collected, ${counted(refunds.length, "refund")} requested. Sums are of the newest 1,000 of each kind.</p>`
}
