// A batch: its money, its progress, and its items, with the reason of each that is not paid.
import { sums } from "../../sandbox/page/money.js"
import { choice, form, grouped, money, search, table, tile } from "../../sandbox/page/parts.js"
import { html } from "../../sandbox/page/preact.js"
import { addressOf, filter, state, useRead } from "../../sandbox/page/state.js"
import { itemStates } from "../src/internal/operate/states.js"

/** @typedef {import("../src/internal/operate/reports.js").Report} Report */
/** @typedef {import("../src/internal/operate/items.js").ItemRow} ItemRow */

/** The selections of items, each with its words and its colour. */
const groups = /** @type {const} */ ([
  ["notPaid", "Not paid", "bad"],
  ["inDoubt", "In doubt", "bad"],
  ["paid", "Paid", "good"],
  ["underWay", "Under way", ""],
  ["notSent", "Not sent", ""]
])

/** The words for each state of an item: an advice says for which it is. @type {Record<ItemRow["state"], string>} */
const labels = {
  failed: "Refused",
  notCompleted: "Not completed",
  unknown: "In doubt",
  inDoubt: "In doubt, ended",
  completed: "Paid",
  sending: "Being sent",
  created: "Created",
  pending: "Pending",
  waiting: "Not sent",
  purged: "Purged"
}

/** @param {ItemRow["state"]} state */
const toneOf = (state) =>
  groups.find(([group]) => itemStates[group].some((one) => one === state))?.[2] ?? ""

/** The items of a group, and their money. @param {Report} report @param {keyof typeof itemStates} group */
const sumOf = ({ items = [] }, group) => {
  const own = items.filter((one) => itemStates[group].some((name) => name === one.state))
  const byCurrency = sums(own.flatMap(({ money }) => money))
  return {
    count: own.reduce((sum, { items }) => sum + items, 0),
    text: [...byCurrency].map(([currency, amount]) => `${money(amount)} ${currency}`).join(", ")
  }
}

/** @param {{ report: Report }} props */
export const BatchView = ({ report }) => {
  const { remarks } = report
  const total = sumOf(report, "all")
  const tiles = groups
    .map(([group, label, tone]) => ({ group, label, tone, ...sumOf(report, group) }))
    .filter(({ count, group }) => count > 0 || group === "notPaid" || group === "paid")
  const [paid] = tiles.filter(({ group }) => group === "paid")
  return html`<h3>Money</h3>
    <ul class="tiles">${tiles.map(({ count, group, label, text, tone }) =>
      tile(label, count, addressOf("execution", { ...given(), only: group }), text, tone)
    )}</ul>
    <p>${grouped(total.count)} items${total.text && `: ${total.text} in total`}. ${remarks}</p>
    <div class="progress" role="img" aria-label=${`${grouped(paid?.count ?? 0)} of ${grouped(total.count)} items are paid`}>
      ${tiles.map(
        ({ count, group, tone }) =>
          html`<span key=${group} class=${`${tone} ${group}`} style=${{ width: `${(100 * count) / total.count}%` }}></span>`
      )}
    </div>
    <${Items} report=${report} />`
}

const given = () => Object.fromEntries(state.query)

const perPage = 50

/** The names of the items that the list selects. @type {ReadonlyArray<readonly [string, string]>} */
const selections = [
  ["unpaid", "Ended, not paid"],
  ...groups.map(([group, label]) => /** @type {const} */ ([group, label])),
  ["all", "All"]
]

/** Words for a list without items. @param {string} only @param {string} item */
const nothing = (only, item) => {
  if (item !== "") return "No such item here. Show all items to find it in any state."
  return only === "unpaid" ? "No item has ended without being paid." : "No such item."
}

/** The items of a batch, a page at a time. @param {{ report: Report }} props */
const Items = ({ report }) => {
  const { key: name } = report
  const isDoubtOnly = sumOf(report, "unpaid").count === 0 && sumOf(report, "inDoubt").count > 0
  const { after = "", item = "", only = isDoubtOnly ? "inDoubt" : "unpaid" } = given()
  const query = { key: name, only, after, item: item.trim(), limit: `${perPage}` }
  /** @type {ReadonlyArray<ItemRow> | undefined} */
  const rows = useRead(
    `items?${new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""))}`
  )
  const last = rows?.length === perPage ? rows.at(-1) : undefined
  /** @type {Map<ItemRow["state"], string>} */
  const advices = new Map(rows?.map(({ advice, state }) => [state, advice]))
  return html`<h3 id="explanation" tabindex="-1">Items</h3>
    ${form(html`
      ${choice("Show", only, selections, (only) => filter({ only, after: "" }))}
      ${search("Key of an item", item, (item) => filter({ item, after: "" }))}
    `)}
    ${only !== "paid" && advices.size > 0 && html`<ul class="note">${[...advices].map(([state, advice]) => html`<li key=${state}><strong>${labels[state]}:</strong> ${advice}</li>`)}</ul>`}
    ${
      rows &&
      table(
        rows.length === 0 ? nothing(only, item) : "In the order of the batch",
        [
          ["Item", itemLink],
          ["#Amount", ({ amount, currency }) => amount && `${money(amount)} ${currency}`],
          [
            "State",
            ({ state }) => html`<span class=${`chip ${toneOf(state)}`}>${labels[state]}</span>`
          ],
          ["*Why", ({ error, why }) => html`<span title=${error}>${why}</span>`]
        ],
        rows,
        ({ number }) => number,
        "items"
      )
    }
    <div class="bar">
      ${after !== "" && html`<button type="button" onClick=${() => filter({ after: "" })}>First items</button>`}
      ${last && html`<button type="button" onClick=${() => filter({ after: `${last.number}` })}>Next items</button>`}
    </div>
    <p class="hint">The command <code>npx manilla-workflows results --csv ${name}</code> writes all of them into a file.</p>`
}

/** An item that has a history leads to it. @param {ItemRow} row */
const itemLink = ({ history, item, key }) =>
  history
    ? html`<a href=${addressOf("execution", { key })} aria-label=${`${item}: history`}>${item}</a>`
    : item
