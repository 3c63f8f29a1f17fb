// The resources of each kind, with what can be done to them.
import { call, controlCurl, curl } from "./api.js"
import {
  actButton,
  chip,
  choice,
  copyButton,
  counted,
  empty,
  form,
  linkButton,
  money,
  pre,
  resourceLink,
  search,
  table,
  time
} from "./parts.js"
import { html } from "./preact.js"
import { addressOf, filter, openDialog, state, useRead } from "./state.js"

/** @typedef {typeof import("../src/ControlApi.js").Resources.Encoded} Resources */
/** @typedef {keyof Resources} Kind */
/** @typedef {import("./parts.js").Child} Child */

/** A button that opens all fields. @param {string} name @param {object} resource @param {string} [path] where the service reads it */
const detail = (name, resource, path) => {
  const line = path && curl("GET", `${location.origin}/api/v1${path}`, { token: true })
  return linkButton(name, () =>
    openDialog(
      name,
      () => html`${pre("Fields", JSON.stringify(resource, null, 2))}
        ${line && html`<h3>Read it with curl</h3>${pre("Command", line)}<p class="bar">${copyButton(() => line)}</p>`}`
    )
  )
}

/** Buttons that settle what is pending. @param {string} status @param {string} path @param {string} name */
const settling = (status, path, name) =>
  status === "PENDING" &&
  html`<div class="bar">${[
    ["COMPLETED", "Complete"],
    ["FAILED", "Fail"]
  ].map(([next, text = ""]) =>
    actButton(
      text,
      async () => {
        await call("POST", path, { status: next })
        return `${name} is ${next}.`
      },
      `${text} ${name}`
    )
  )}</div>`

/** @param {Resources["transactions"][number]} transaction */
const refunding = ({ operation, reference: transaction }) =>
  /^(COLLECTION|DEPOSIT)$/.test(operation) &&
  html`<div class="bar">
    ${actButton(
      "Refund",
      async () => {
        /** @type {{ reference: string, amount: string }} */
        const { amount, reference } = await call("POST", "/refunds", { transaction })
        return `Refund ${reference} of ${money(amount)} was requested.`
      },
      `Refund ${transaction}`
    )}
    ${copyButton(() => controlCurl("POST", "/refunds", { transaction }), "curl", `curl line of the refund of ${transaction}`)}
  </div>`

/** A link to the hosted page, which is on this sandbox, perhaps on another port. @param {string} url */
const checkout = (url) => {
  const { hostname, protocol } = new URL(url)
  const isOwn = protocol === location.protocol && hostname === location.hostname
  return isOwn ? html`<a href=${url}>Open</a>` : url
}

/** @param {string} key */
const keyLink = (key) => html`<a href=${addressOf("requests", { find: key })}>${key}</a>`

/**
 * The columns of each kind. A name that starts with `#` is a number, and one with `-` is left out on narrow screens.
 *
 * @type {{ readonly [K in Kind]: ReadonlyArray<readonly [label: string, cell: (row: Resources[K][number]) => Child]> }}
 */
const columns = {
  payments: [
    ["Reference", (one) => detail(one.reference, one, `/payments/${one.id}`)],
    ["Status", (one) => chip(one.status)],
    ["#Amount", (one) => `${money(one.amount)} ${one.currency}`],
    ["-Method", (one) => `${one.operation} ${one.payment_method}`],
    ["Key", (one) => keyLink(one.idempotency_key)],
    ["-Created", (one) => time(one.created_at)],
    ["Settle", (one) => settling(one.status, `/payments/${one.id}/settle`, one.reference)]
  ],
  payouts: [
    ["Reference", (one) => detail(one.reference, one, `/payouts/${one.reference}`)],
    ["Status", (one) => chip(one.status)],
    ["#Amount", (one) => `${money(one.amount)} ${one.currency}`],
    ["#-Fee", (one) => money(one.fee_amount)],
    ["Key", (one) => keyLink(one.idempotency_key)],
    ["-Created", (one) => time(one.created_at)],
    [
      "Settle",
      (one) =>
        settling(one.status, `/payouts/${encodeURIComponent(one.reference)}/settle`, one.reference)
    ]
  ],
  transactions: [
    ["Reference", (one) => detail(one.reference, one, `/transactions/${one.reference}`)],
    ["-Operation", (one) => one.operation],
    ["#Amount", (one) => `${money(one.amount)} ${one.currency}`],
    ["#-Fee", (one) => money(one.fee_amount)],
    ["#-Net", (one) => money(one.net_amount)],
    ["Source", (one) => resourceLink(one.source, { find: one.source })],
    ["Refund", refunding]
  ],
  refunds: [
    ["Reference", (one) => detail(one.reference, one, `/refunds/${one.reference}`)],
    ["Status", (one) => chip(one.status)],
    ["#Amount", (one) => money(one.amount)],
    ["Reason", (one) => one.reason]
  ],
  payment_links: [
    ["Reference", (one) => detail(one.reference ?? one.id, one, `/payment-links/${one.id}`)],
    ["Status", (one) => chip(one.status)],
    ["#Amount", (one) => `${money(one.amount)} ${one.currency}`],
    ["#Uses", (one) => `${one.use_count} of ${one.max_uses ?? "any"}`],
    ["-Description", (one) => one.description],
    ["-Expires", (one) => (typeof one.expires_at === "string" ? time(one.expires_at) : "never")],
    ["Checkout", (one) => checkout(one.checkout_url)]
  ],
  cards: [
    ["Id", (one) => detail(one.id, one)],
    ["#Charged", (one) => `${money(one.charged_amount ?? "")} ${one.charged_currency}`],
    ["Key", (one) => keyLink(one.issuance_reference ?? "")]
  ],
  cardholders: [
    ["Id", (one) => detail(one.id, one, `/cardholders/${one.id}`)],
    ["Created", (one) => time(one.created_at ?? "")]
  ]
}

/** @type {ReadonlyArray<readonly [kind: Kind, name: string]>} */
const kinds = [
  ["payments", "Payments"],
  ["payouts", "Payouts"],
  ["transactions", "Transactions"],
  ["refunds", "Refunds"],
  ["payment_links", "Payment links"],
  ["cards", "Cards"],
  ["cardholders", "Cardholders"]
]

const ownNames = ["reference", "id"]
/** The fields that also name what a resource was made from. */
const names = [...ownNames, "idempotency_key", "issuance_reference", "source"]

/** @param {object} resource @param {ReadonlyArray<string>} names @param {(value: string) => boolean} has */
const hasIn = (resource, names, has) =>
  Object.entries(resource).some(
    ([name, value]) => names.includes(name) && has(String(value).toLowerCase())
  )

/**
 * The resources with exactly this reference or key, otherwise those with one that contains it.
 *
 * @param {Resources} all
 * @param {string} wanted
 * @returns {Resources}
 */
const found = (all, wanted) => {
  const isExact = Object.values(all).some((rows) =>
    rows.some((one) => hasIn(one, names, (value) => value === wanted))
  )
  /** @template {object} Row @param {ReadonlyArray<Row>} rows */
  const keep = (rows) =>
    rows.filter((one) =>
      hasIn(one, names, (value) => (isExact ? value === wanted : value.includes(wanted)))
    )
  return {
    payments: keep(all.payments),
    payouts: keep(all.payouts),
    transactions: keep(all.transactions),
    refunds: keep(all.refunds),
    payment_links: keep(all.payment_links),
    cards: keep(all.cards),
    cardholders: keep(all.cardholders)
  }
}

/** @param {Resources | undefined} all */
const isEmpty = (all) => Object.values(all ?? {}).every((rows) => rows.length === 0)

/** The chosen kind; without one, the kind of the resource that is looked for. @param {Resources} all @param {string} wanted */
const kindOf = (all, wanted) => {
  const chosen = state.query.get("kind")
  const has = (/** @type {(rows: ReadonlyArray<object>) => boolean} */ test) =>
    kinds.find(([kind]) => test(all[kind]))
  const [kind] = kinds.find(([kind]) => kind === chosen) ??
    (wanted === ""
      ? undefined
      : (has((rows) => rows.some((one) => hasIn(one, ownNames, (value) => value === wanted))) ??
        has((rows) => rows.length > 0))) ??
    kinds[0] ?? ["payments"]
  return kind
}

/** @template {Kind} K @param {K} kind @param {string} name @param {Resources[K]} rows */
const tableOf = (kind, name, rows) =>
  table(
    counted(rows.length, name.toLowerCase().slice(0, -1)),
    columns[kind],
    rows,
    (one) => one.id ?? ""
  )

export const Resources = () => {
  const find = state.query.get("find") ?? ""
  const wanted = find.trim().toLowerCase()
  /** @type {Resources | undefined} */
  const newest = useRead(wanted === "" ? "/resources" : "/resources?limit=1000")
  const among = newest && (wanted === "" ? newest : found(newest, wanted))
  // A key also finds resources that are no longer among the newest.
  /** @type {Resources | undefined} */
  const older = useRead(
    among && wanted !== "" && isEmpty(among)
      ? `/resources?key=${encodeURIComponent(find.trim())}`
      : undefined
  )
  const all = older ?? among
  if (all === undefined) return null
  const kind = kindOf(all, wanted)
  const name = kinds.find(([one]) => one === kind)?.[1] ?? ""
  return html`
    ${form(html`
      ${choice(
        "Kind",
        kind,
        kinds.map(([one, text]) => [one, `${text} (${all[one].length})`]),
        (one) => filter({ kind: one })
      )}
      ${search("Reference or key", find, (text) => filter({ find: text, kind: "" }))}
      <button type="button" onClick=${() => filter({ find: "", kind: "" })}>Show all resources</button>
    `)}
    <div role="region" aria-label=${name} tabindex="-1">${
      all[kind].length > 0
        ? tableOf(kind, name, all[kind])
        : wanted === ""
          ? empty(
              `There are no ${name.toLowerCase()} yet. The docs have a line that makes one: see Docs.`
            )
          : html`<p class="note">${name}: none of the newest has a reference or key with “${find.trim()}”.</p>`
    }</div>`
}
