// The parts that the views have in common.
import { curl } from "./api.js"
import { html } from "./preact.js"
import { act, addressOf, announce, openDialog, state } from "./state.js"

/** @typedef {import("preact").ComponentChild} Child */
/** @typedef {typeof import("../src/ControlApi.js").Credentials.Encoded} Credentials */

/** An amount such as `1500.0000` as `1,500.00`, with at least two decimals. @param {string} amount */
export const money = (amount) => {
  const [whole = "", fraction = ""] = amount.split(".")
  return `${grouped(whole)}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`
}

/** A key as a person reads it: `IdempotencyKey.derive` encodes what its parts must not contain. @param {string} key */
export const keyText = (key) => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** @param {number | string} whole */
export const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+$)/g, ",")

/** @param {number} count @param {string} noun */
export const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`

/** A time of today, or a date and a time. After the clock was moved, each time has its date. @param {string} at */
export const time = (at) => {
  const isToday = !state.isMoved && at.slice(0, 10) === state.now.slice(0, 10)
  return html`<time datetime=${at}>${isToday ? at.slice(11, 19) : `${at.slice(0, 10)} ${at.slice(11, 19)}`}</time>`
}

/** @param {string} status */
const toneOf = (status) => {
  if (/^[23]\d\d$|^COMPLETED$|^ACTIVE$/.test(status)) return "good"
  return /^(PENDING|open|INACTIVE|running|waiting|paused|interrupted|succeeded)$/.test(status)
    ? ""
    : "bad"
}

/** @param {string} status */
export const chip = (status) => html`<span class="chip ${toneOf(status)}">${status}</span>`

/**
 * A table. The label of a column starts with marks: `#` for numbers, `-` if it is left out on narrow screens, and `*`
 * if it has the space that the others leave.
 *
 * @template Row
 * @param {string} caption
 * @param {ReadonlyArray<readonly [label: string, cell: (row: Row) => Child]>} columns
 * @param {ReadonlyArray<Row>} rows
 * @param {(row: Row) => string | number} keyOf
 * @param {"lines" | "items"} [style] `lines`: each row is one line
 */
export const table = (caption, columns, rows, keyOf, style) => {
  const classes = columns.map(([label]) =>
    [...label.replace(/[^#*-].*/, "")]
      .map((mark) => ({ "#": "number", "-": "wide", "*": "rest" })[mark])
      .join(" ")
  )
  return html`<table class=${style}>
    <caption>${caption}</caption>
    <thead><tr>${columns.map(
      ([label], n) => html`<th scope="col" class=${classes[n]}>${label.replace(/^[#*-]+/, "")}</th>`
    )}</tr></thead>
    <tbody>${rows.map(
      (row) =>
        html`<tr key=${keyOf(row)}>${columns.map(([, cell], n) => html`<td class=${classes[n]}>${cell(row)}</td>`)}</tr>`
    )}</tbody>
  </table>`
}

/** A number that leads to its rows. @param {string} label @param {number | string} count @param {string} address @param {Child} hint @param {string} [tone] */
export const tile = (label, count, address, hint, tone = "") => html`<li>
  <a class="tile ${Number(count) > 0 ? tone : ""}" href=${address}>
    <span>${label}</span> <strong>${grouped(count)}</strong> <small>${hint}</small>
  </a>
</li>`

/** @param {ReadonlyArray<readonly [term: string, value: Child]>} pairs */
export const facts = (pairs) =>
  html`<dl>${pairs.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`

/** The text of the control of an event. @param {Event} event */
export const textIn = ({ currentTarget: control }) =>
  control instanceof HTMLInputElement || control instanceof HTMLSelectElement ? control.value : ""

/**
 * @param {string} label
 * @param {string} value
 * @param {ReadonlyArray<readonly [value: string, text: string]>} options
 * @param {(value: string) => void} onChange
 */
export const choice = (label, value, options, onChange) => html`<label>${label}
  <select value=${value} onChange=${(/** @type {Event} */ event) => onChange(textIn(event))}>
    ${options.map(([one, text]) => html`<option key=${one} value=${one}>${text}</option>`)}
  </select>
</label>`

/** @param {string} label @param {string} value @param {(value: string) => void} onInput */
export const search = (label, value, onInput) => html`<label class="grow">${label}
  <input type="search" list="suggested" autocomplete="off" value=${value}
    onInput=${(/** @type {Event} */ event) => onInput(textIn(event))} />
</label>`

/** A form that acts at once, or with a button. @param {Child} content @param {() => void} [onSubmit] */
export const form = (content, onSubmit) =>
  html`<form class="bar" onSubmit=${(/** @type {Event} */ event) => {
    event.preventDefault()
    onSubmit?.()
  }}>${content}</form>`

/** A button that calls the sandbox. @param {string} text @param {() => Promise<string>} action @param {string} [label] */
export const actButton = (text, action, label) =>
  html`<button type="button" aria-label=${label} onClick=${() => act(action)}>${text}</button>`

/** @param {string} text @param {() => void} onClick @param {string} [label] */
export const linkButton = (text, onClick, label) =>
  html`<button type="button" class="link" aria-label=${label} onClick=${onClick}>${text}</button>`

/** A link to a resource by its reference or key. @param {string} text @param {Readonly<Record<string, string>>} query */
export const resourceLink = (text, query) =>
  html`<a href=${addressOf("resources", query)}>${text}</a>`

/** Copies a command, and shows it where the browser does not permit copies. @param {string} text */
const copy = (text) => {
  const show = () => openDialog("Copy this command", () => pre("Command", text))
  // Browsers have a clipboard only for pages of this machine and of https.
  if (navigator.clipboard === undefined) return show()
  navigator.clipboard.writeText(text).then(() => announce(`Copied: ${text}`), show)
}

/** @param {() => string} line @param {string} [text] @param {string} [label] */
export const copyButton = (line, text = "Copy as curl", label) =>
  html`<button type="button" aria-label=${label} onClick=${() => copy(line())}>${text}</button>`

/** A text that scrolls. @param {string} label @param {string} text */
export const pre = (label, text) =>
  html`<pre tabindex="0" role="region" aria-label=${label}>${text}</pre>`

/** Indented, if it is JSON. @param {string} text */
export const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** An empty state, which says what to do. @param {string} text @param {string} [line] */
export const empty = (text, line) => html`<div class="empty">
  <p>${text}</p>
  ${line && html`${pre("Command", line)} ${copyButton(() => line)}`}
</div>`

/** Lines that obtain a token and send a first payment. @param {Credentials | undefined} credentials */
export const firstPayment = (credentials) => {
  if (credentials === undefined) return undefined
  const { auth_url, base_url, client_id, client_secret } = credentials
  const body = JSON.stringify({ client_id, client_secret })
  const token = curl("POST", `${auth_url}/auth/application/token`, { body })
  const payment = curl("POST", `${base_url}/payments`, {
    token: true,
    key: "order-42",
    body: `{"country":"BJ","amount":"1500","currency":"XOF","operation":"COLLECTION","payment_method":"mtn_momo","payer":{"phone_number":"+2290100000000"}}`
  })
  return `TOKEN=$(${token} | jq -r .data.access_token)\n${payment}`
}
