// The resources of each kind, with what can be done to them.
import { call, controlCurl, curl } from "./api.js"
import { kinds, nameIn, oneOf, pathOf } from "./kinds.js"
import {
  actButton,
  chip,
  choice,
  copyButton,
  counted,
  form,
  keyText,
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

/** @typedef {import("./kinds.js").Resources} Resources */
/** @typedef {import("./kinds.js").Kind} Kind */
/** @typedef {import("./kinds.js").Row} Row */
/** @typedef {import("./parts.js").Child} Child */

/** A button that opens all fields. @param {Kind} kind @param {Row} resource */
const detail = (kind, resource) => {
  const reference = nameIn(resource)
  const path = pathOf(kind, resource)
  const line = path && curl("GET", `${location.origin}/api/v1${path}`, { token: true })
  return linkButton(reference, () =>
    openDialog(
      reference,
      () => html`${pre("Fields", JSON.stringify(resource, null, 2))}
        ${keyOf(resource) && html`<p>Requests with the key ${keyLink(keyOf(resource))}</p>`}
        ${line && html`<h3>Read it with curl</h3>${pre("Command", line)}<p class="bar">${copyButton(() => line)}</p>`}`
    )
  )
}

/** Buttons that settle what is pending. @param {Row} resource */
const settling = (resource) =>
  resource.status === "PENDING" &&
  html`<div class="bar">${[
    ["COMPLETED", "Complete"],
    ["FAILED", "Fail"]
  ].map(([next, text = ""]) =>
    actButton(
      text,
      async () => {
        await call("POST", `/resources/${encodeURIComponent(nameIn(resource))}/settle`, {
          status: next
        })
        return `${nameIn(resource)} is ${next}.`
      },
      `${text} ${nameIn(resource)}`
    )
  )}</div>`

/** @param {Row} transaction */
const refunding = ({ operation, reference: transaction }) =>
  /^(COLLECTION|DEPOSIT)$/.test(operation ?? "") &&
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

/** @param {Row} resource */
const keyOf = ({ idempotency_key, issuance_reference }) => idempotency_key ?? issuance_reference

/** @param {string | null | undefined} key */
const keyLink = (key) =>
  key && html`<a href=${addressOf("requests", { find: key })}>${keyText(key)}</a>`

/** The columns of every kind. A kind has those with a value. @param {Kind} kind */
const columnsOf = (kind) =>
  /** @type {ReadonlyArray<readonly [label: string, cell: (row: Row) => Child]>} */ ([
    ["Reference", (one) => detail(kind, one)],
    ["Status", ({ status }) => status && chip(status)],
    [
      "#Amount",
      ({ amount, charged_amount, charged_currency, currency }) =>
        (amount ?? charged_amount) &&
        `${money(amount ?? charged_amount ?? "")} ${currency ?? charged_currency ?? ""}`
    ],
    ["#-Fee", ({ fee_amount }) => fee_amount && money(fee_amount)],
    [
      "-Operation",
      ({ operation, payment_method }) => operation && [operation, payment_method].join(" ")
    ],
    ["-Key", (one) => keyLink(keyOf(one))],
    ["Source", ({ source }) => source && resourceLink(source, { find: source })],
    ["-Description", ({ description, reason }) => description ?? reason],
    [
      "#-Uses",
      (one) => one.use_count !== undefined && `${one.use_count} of ${one.max_uses ?? "any"}`
    ],
    ["-Expires", ({ expires_at }) => expires_at && time(expires_at)],
    ["-Created", ({ created_at }) => created_at && time(created_at)],
    ["Settle", settling],
    ["Refund", (one) => kind === "transactions" && refunding(one)],
    ["Checkout", ({ checkout_url }) => checkout_url && checkout(checkout_url)]
  ])

/** Such as “Payment links”. @param {Kind} kind */
const nameOf = (kind) => kind.charAt(0).toUpperCase() + kind.slice(1).replace("_", " ")

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

/** The chosen kind; without one, the kind of the resource that is looked for. @param {Resources} all @param {string} wanted */
const kindOf = (all, wanted) => {
  const isOwn = (/** @type {string} */ value) => value === wanted
  return (
    kinds.find((kind) => kind === state.query.get("kind")) ??
    kinds.find((kind) => wanted !== "" && all[kind].some((one) => hasIn(one, ownNames, isOwn))) ??
    kinds.find((kind) => wanted !== "" && all[kind].length > 0) ??
    "payments"
  )
}

export const Resources = () => {
  const find = state.query.get("find") ?? ""
  const wanted = find.trim().toLowerCase()
  /** @type {Resources | undefined} */
  const newest = useRead(wanted === "" ? "/resources" : "/resources?limit=1000")
  const among = newest && (wanted === "" ? newest : found(newest, wanted))
  const isEmpty = among && Object.values(among).every((rows) => rows.length === 0)
  // A key also finds resources that are no longer among the newest.
  /** @type {Resources | undefined} */
  const older = useRead(isEmpty ? `/resources?key=${encodeURIComponent(find.trim())}` : undefined)
  const all = older ?? among
  if (all === undefined) return null
  const kind = kindOf(all, wanted)
  const name = nameOf(kind)
  /** @type {ReadonlyArray<Row>} */
  const rows = all[kind]
  const columns = columnsOf(kind).filter(([, cell]) => rows.some((one) => cell(one)))
  return html`
    ${form(html`
      ${choice(
        "Kind",
        kind,
        kinds.map((one) => [one, `${nameOf(one)} (${all[one].length})`]),
        (one) => filter({ kind: one })
      )}
      ${search("Reference or key", find, (text) => filter({ find: text, kind: "" }))}
      <button type="button" onClick=${() => filter({ find: "", kind: "" })}>Show all resources</button>
    `)}
    <div role="region" aria-label=${name} tabindex="-1">${
      rows.length > 0
        ? table(counted(rows.length, oneOf(kind)), columns, rows, nameIn)
        : wanted === ""
          ? html`<p class="empty">There are no ${name.toLowerCase()} yet. <a href="/docs">Docs</a> has a line for each that makes one.</p>`
          : html`<p class="note">${name}: none of the newest has a reference or key with “${find.trim()}”.</p>`
    }</div>`
}
