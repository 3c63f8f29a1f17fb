// The resources of each kind, with what can be done to them.
import { call, controlCurl, curl } from "./api.js"
import { act, button, byId, copy, h, openDialog, replace, table, valueOf } from "./dom.js"

/** @typedef {typeof import("../src/ControlApi.js").Resources.Encoded} Resources */
/** @typedef {import("./dom.js").Child} Child */

const form = byId("kinds", HTMLFormElement)
const target = byId("resources", HTMLElement)

/** @type {Resources | undefined} */
let latest

/** @param {string} timestamp */
const shortTime = (timestamp) => h("time", {}, timestamp.slice(0, 19).replace("T", " "))

/** @param {string} status */
const statusCell = (status) =>
  h(
    "strong",
    {
      class:
        status === "PENDING"
          ? "odd"
          : status === "COMPLETED" || status === "ACTIVE"
            ? "good"
            : "bad"
    },
    status
  )

/**
 * A button that opens all fields.
 *
 * @param {string} text
 * @param {object} resource
 * @param {string} [path] where the service reads it
 */
const detail = (text, resource, path) =>
  button(
    text,
    () => {
      const line =
        path === undefined
          ? undefined
          : curl("GET", `${location.origin}/api/v1${path}`, { token: true })
      openDialog(
        text,
        [
          h("pre", {}, JSON.stringify(resource, null, 2)),
          ...(line === undefined ? [] : [h("h3", {}, "Read it with curl"), h("pre", {}, line)])
        ],
        line === undefined ? [] : [button("Copy as curl", () => copy(line))]
      )
    },
    "link"
  )

/**
 * Buttons that settle what is pending.
 *
 * @param {string} status
 * @param {string} path
 * @param {string} name
 */
const settling = (status, path, name) =>
  status !== "PENDING"
    ? ""
    : h(
        "div",
        { class: "bar" },
        ...["COMPLETED", "FAILED"].map((next) =>
          h(
            "button",
            {
              type: "button",
              "aria-label": `${next === "COMPLETED" ? "Complete" : "Fail"} ${name}`,
              onclick: () =>
                act(async () => {
                  await call("POST", path, { status: next })
                  await refresh()
                  return `${name} is ${next}.`
                })
            },
            next === "COMPLETED" ? "Complete" : "Fail"
          )
        )
      )

/** @param {Resources["payments"]} rows */
const payments = (rows) =>
  table(
    "Payments",
    [
      ["Reference", (one) => detail(one.reference ?? one.id, one, `/payments/${one.id}`)],
      ["Status", (one) => statusCell(one.status)],
      ["Amount", (one) => `${one.amount} ${one.currency}`],
      ["Method", (one) => `${one.operation} ${one.payment_method}`],
      ["Key", (one) => one.idempotency_key],
      ["Created", (one) => shortTime(one.created_at ?? "")],
      [
        "Settle",
        (one) => settling(one.status, `/payments/${one.id}/settle`, one.reference ?? one.id)
      ]
    ],
    rows
  )

/** @param {Resources["payouts"]} rows */
const payouts = (rows) =>
  table(
    "Payouts",
    [
      ["Reference", (one) => detail(one.reference, one, `/payouts/${one.reference}`)],
      ["Status", (one) => statusCell(one.status)],
      ["Amount", (one) => `${one.amount} ${one.currency}`],
      ["Fee", (one) => one.fee_amount],
      ["Key", (one) => one.idempotency_key],
      ["Created", (one) => shortTime(one.created_at ?? "")],
      [
        "Settle",
        (one) =>
          settling(
            one.status,
            `/payouts/${encodeURIComponent(one.reference)}/settle`,
            one.reference
          )
      ]
    ],
    rows
  )

/** @param {string} transaction */
const refunding = (transaction) =>
  h(
    "div",
    { class: "bar" },
    h(
      "button",
      {
        type: "button",
        "aria-label": `Refund ${transaction}`,
        onclick: () =>
          act(async () => {
            /** @type {{ reference: string, amount: string }} */
            const { amount, reference } = await call("POST", "/refunds", { transaction })
            await refresh()
            return `Refund ${reference} of ${amount} was requested.`
          })
      },
      "Refund"
    ),
    h(
      "button",
      {
        type: "button",
        "aria-label": `curl line of the refund of ${transaction}`,
        onclick: () => copy(controlCurl("POST", "/refunds", { transaction }))
      },
      "curl"
    )
  )

/** @param {Resources["transactions"]} rows */
const transactions = (rows) =>
  table(
    "Transactions",
    [
      ["Reference", (one) => detail(one.reference, one, `/transactions/${one.reference}`)],
      ["Operation", (one) => one.operation],
      ["Amount", (one) => `${one.amount} ${one.currency}`],
      ["Fee", (one) => one.fee_amount],
      ["Net", (one) => one.net_amount],
      ["Source", (one) => one.source],
      [
        "Refund",
        (one) =>
          one.operation === "COLLECTION" || one.operation === "DEPOSIT"
            ? refunding(one.reference)
            : ""
      ]
    ],
    rows
  )

/** @param {Resources["refunds"]} rows */
const refunds = (rows) =>
  table(
    "Refunds",
    [
      ["Reference", (one) => detail(one.reference, one, `/refunds/${one.reference}`)],
      ["Status", (one) => statusCell(one.status)],
      ["Amount", (one) => one.amount],
      ["Reason", (one) => one.reason]
    ],
    rows
  )

/** A link to the hosted page, which is on this sandbox, perhaps on another port. @param {string} url */
const checkout = (url) => {
  const { hostname, protocol } = new URL(url)
  const isOwn = protocol === location.protocol && hostname === location.hostname
  return isOwn ? h("a", { href: url }, "Open") : url
}

/** @param {Resources["payment_links"]} rows */
const links = (rows) =>
  table(
    "Payment links",
    [
      ["Reference", (one) => detail(one.reference ?? one.id, one, `/payment-links/${one.id}`)],
      ["Status", (one) => statusCell(one.status)],
      ["Amount", (one) => `${one.amount} ${one.currency}`],
      ["Uses", (one) => `${one.use_count} of ${one.max_uses ?? "any number"}`],
      ["Description", (one) => one.description],
      [
        "Expires",
        (one) => (typeof one.expires_at === "string" ? shortTime(one.expires_at) : "never")
      ],
      ["Checkout", (one) => checkout(one.checkout_url)]
    ],
    rows
  )

/** @param {Resources["cards"]} rows */
const cards = (rows) =>
  table(
    "Cards",
    [
      ["Id", (one) => detail(one.id, one)],
      ["Charged", (one) => `${one.charged_amount} ${one.charged_currency}`],
      ["Key", (one) => one.issuance_reference]
    ],
    rows
  )

/** @param {Resources["cardholders"]} rows */
const cardholders = (rows) =>
  table(
    "Cardholders",
    [
      ["Id", (one) => detail(one.id, one, `/cardholders/${one.id}`)],
      ["Created", (one) => shortTime(one.created_at ?? "")]
    ],
    rows
  )

/** @type {ReadonlyArray<readonly [kind: keyof Resources, name: string, render: (all: Resources) => HTMLElement]>} */
const kinds = [
  ["payments", "Payments", (all) => payments(all.payments)],
  ["payouts", "Payouts", (all) => payouts(all.payouts)],
  ["transactions", "Transactions", (all) => transactions(all.transactions)],
  ["refunds", "Refunds", (all) => refunds(all.refunds)],
  ["payment_links", "Payment links", (all) => links(all.payment_links)],
  ["cards", "Cards", (all) => cards(all.cards)],
  ["cardholders", "Cardholders", (all) => cardholders(all.cardholders)]
]

const render = () => {
  const all = latest
  const select = form.elements.namedItem("kind")
  if (all === undefined || !(select instanceof HTMLSelectElement)) return
  const chosen = select.value === "" ? "payments" : select.value
  select.replaceChildren(
    ...kinds.map(([kind, name]) =>
      h("option", { value: kind, selected: kind === chosen }, `${name} (${all[kind].length})`)
    )
  )
  const [, , draw] = kinds.find(([kind]) => kind === valueOf(form, "kind")) ?? []
  if (draw !== undefined) replace(target, draw(all))
}

/** Reads the resources, and renders them unless nothing changed: rendering would lose the focus. */
export const refresh = async () => {
  /** @type {Resources} */
  const read = await call("GET", "/resources")
  if (JSON.stringify(read) === JSON.stringify(latest)) return
  latest = read
  render()
}

form.addEventListener("change", render)
form.addEventListener("submit", (event) => event.preventDefault())
