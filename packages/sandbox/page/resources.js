// The resources of each kind, with what can be done to them.
import { call, controlCurl, curl } from "./api.js"
import {
  act,
  addressOf,
  button,
  byId,
  copy,
  h,
  openDialog,
  remember,
  replace,
  resourceLink,
  table,
  valueOf
} from "./dom.js"

/** @typedef {typeof import("../src/ControlApi.js").Resources.Encoded} Resources */
/** @typedef {import("./dom.js").Child} Child */

const form = byId("kinds", HTMLFormElement)
const target = byId("resources", HTMLElement)

/** @type {Resources | undefined} */
let latest

/** A link to the requests with a key. @param {string} key */
const keyCell = (key) => h("a", { href: addressOf("requests", { key }) }, key)

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
      ["Key", (one) => keyCell(one.idempotency_key)],
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
      ["Key", (one) => keyCell(one.idempotency_key)],
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
      ["Source", (one) => resourceLink(one.source, { find: one.source })],
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
      ["Key", (one) => keyCell(one.issuance_reference)]
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

/** The fields that name a resource, and those that name what it was made from. */
const ownNames = ["reference", "id"]
const otherNames = ["idempotency_key", "issuance_reference", "source"]

/** The reference or key, or a part of it. Upper and lower case are equal. */
const wanted = () => valueOf(form, "find").trim().toLowerCase()

/**
 * Whether a field of a resource has the wanted text.
 *
 * @param {object} resource
 * @param {ReadonlyArray<string>} names
 * @param {(value: string) => boolean} has
 */
const hasIn = (resource, names, has) =>
  Object.entries(resource).some(
    ([name, value]) => names.includes(name) && has(String(value).toLowerCase())
  )

/** @param {string} value */
const isWanted = (value) => value === wanted()

/** The resources with exactly the wanted reference or key, otherwise those with one that contains it. @param {Resources} all @returns {Resources} */
const found = (all) => {
  const names = [...ownNames, ...otherNames]
  const isExact = Object.values(all).some((rows) => rows.some((one) => hasIn(one, names, isWanted)))
  /** @param {object} one */
  const keep = (one) => hasIn(one, names, isExact ? isWanted : (value) => value.includes(wanted()))
  return {
    payments: all.payments.filter(keep),
    payouts: all.payouts.filter(keep),
    transactions: all.transactions.filter(keep),
    refunds: all.refunds.filter(keep),
    payment_links: all.payment_links.filter(keep),
    cards: all.cards.filter(keep),
    cardholders: all.cardholders.filter(keep)
  }
}

/** The chosen kind; without one, the kind of the resource that is looked for. */
let chosen = ""

/** @param {Resources} all */
const kindOf = (all) =>
  kinds.find(([kind]) => kind === chosen) ??
  kinds.find(([kind]) => all[kind].some((one) => hasIn(one, ownNames, isWanted))) ??
  kinds.find(([kind]) => all[kind].length > 0) ??
  kinds[0]

const render = () => {
  const select = form.elements.namedItem("kind")
  if (latest === undefined || !(select instanceof HTMLSelectElement)) return
  const all = wanted() === "" ? latest : found(latest)
  const shown = wanted() === "" && chosen === "" ? kinds[0] : kindOf(all)
  if (shown === undefined) return
  const [shownKind, shownName, draw] = shown
  select.replaceChildren(
    ...kinds.map(([kind, name]) =>
      h("option", { value: kind, selected: kind === shownKind }, `${name} (${all[kind].length})`)
    )
  )
  const isMissing = wanted() !== "" && all[shownKind].length === 0
  replace(
    target,
    ...(isMissing
      ? [
          h(
            "p",
            { class: "note" },
            `${shownName}: none of the newest has a reference or key with “${valueOf(form, "find").trim()}”.`
          )
        ]
      : []),
    draw(all)
  )
}

/** Reads the resources, and renders them unless nothing changed: rendering would lose the focus. */
export const refresh = async () => {
  /** @type {Resources} */
  let read = await call("GET", wanted() === "" ? "/resources" : "/resources?limit=1000")
  if (wanted() !== "" && Object.values(found(read)).every((rows) => rows.length === 0)) {
    // A key also finds resources that are no longer among the newest.
    read = await call("GET", `/resources?key=${encodeURIComponent(valueOf(form, "find").trim())}`)
  }
  if (JSON.stringify(read) === JSON.stringify(latest)) return
  latest = read
  render()
}

const filter = () => {
  remember("resources", { kind: chosen, find: valueOf(form, "find").trim() })
  render()
}

/** Shows the kind and the resource of an address. @param {URLSearchParams} shown */
export const show = (shown) => {
  const find = form.elements.namedItem("find")
  chosen = shown.get("kind") ?? ""
  if (find instanceof HTMLInputElement) find.value = shown.get("find") ?? ""
  filter()
}

form.addEventListener("input", ({ target: changed }) => {
  // Another text is looked for in every kind.
  chosen = changed instanceof HTMLSelectElement ? changed.value : ""
  filter()
})
form.addEventListener("reset", () => {
  chosen = ""
  setTimeout(filter)
})
form.addEventListener("submit", (event) => event.preventDefault())
