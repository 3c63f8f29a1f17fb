// The journal: live, filtered by anything that names a request, with the story of one key.
import { curl } from "./api.js"
import { togglePause } from "./live.js"
import {
  chip,
  choice,
  copyButton,
  counted,
  empty,
  facts,
  firstPayment,
  form,
  grouped,
  keyText,
  linkButton,
  pre,
  pretty,
  resourceLink,
  search,
  table,
  time
} from "./parts.js"
import { html } from "./preact.js"
import { addressOf, filter, openDialog, state, update, useRead } from "./state.js"
import { isFailed, linksTo, storyOf, useMade, Why } from "./story.js"

/** @typedef {import("./state.js").Exchange} Exchange */
/** @typedef {typeof import("../src/ControlApi.js").Credentials.Encoded} Credentials */

const shown = 200

/** @param {Exchange} request */
const statusOf = ({ ending, status }) => (ending === "answered" ? String(status) : ending)

const statusText = /^[1-5](\d\d|xx)$/i

/** The key that a text is or whose resource it names, otherwise all keys that contain it in any case. @param {string} wanted */
const keysOf = (wanted) => {
  const text = wanted.toLowerCase()
  const keyed = [...state.requests.values()].flatMap(({ key, reference }) =>
    key === null ? [] : [{ key, reference }]
  )
  const exact =
    keyed.find(({ key }) => key === wanted) ??
    keyed.find(({ reference }) => reference?.toLowerCase() === text)
  if (exact !== undefined) return [exact.key]
  if (wanted === "" || statusText.test(wanted)) return []
  return [...new Set(keyed.map(({ key }) => key))].filter((key) =>
    [key, keyText(key)].some((name) => name.toLowerCase().includes(text))
  )
}

/** Whether a text names a request. @param {string} wanted @param {Exchange} request */
const isNamed = (wanted, request) => {
  const text = wanted.toLowerCase()
  if (statusText.test(text)) return statusOf(request).startsWith(text.replace("xx", ""))
  const { correlation_id, error, fault, path, reference, replay } = request
  const marks = [isFailed(request) && "failed", replay && "replay", fault, statusOf(request)]
  return [correlation_id, reference, path, error?.code, ...marks].some(
    (name) => typeof name === "string" && name.toLowerCase().includes(text)
  )
}

/** Shows what the requests with a key did. @param {string} key */
const select = (key) => {
  update({ dialog: undefined })
  const address = addressOf("requests", { find: key })
  // The same address again is no change of it.
  if (location.hash === address) document.getElementById("explanation")?.focus()
  else location.hash = address
}

/** @param {Exchange} request */
const open = ({ index }) =>
  openDialog(`Request #${index}`, () => html`<${Detail} index=${index} />`)

/** A line that sends a request again. @param {Exchange} request @param {Credentials} credentials */
const lineOf = ({ body, key, method, operation, path }, { auth_url, base_url }) =>
  curl(method, new URL(operation === "Token.obtain" ? auth_url : base_url).origin + path, {
    token: operation !== "Token.obtain",
    key: operation === "Cards.issue" ? undefined : (key ?? undefined),
    body: body || undefined
  })

/** @param {{ index: number }} props */
const Detail = ({ index }) => {
  /** @type {Exchange | undefined} */
  const request = useRead(`/requests/${index}`)
  const made = useMade(request?.key)
  /** @type {Credentials | undefined} */
  const credentials = useRead("/credentials")
  if (request === undefined || credentials === undefined) return null
  const {
    response,
    response_bytes,
    at,
    body,
    body_bytes,
    error,
    fault,
    key,
    method,
    path,
    replay,
    took_ms
  } = request
  /** @param {string} title @param {number} bytes @param {string | null} text */
  const bodyOf = (title, bytes, text) => html`<div>
    <h3>${title}: ${text ? `${grouped(bytes)} bytes${text.length < 16_384 ? "" : ", cut here"}` : "none"}</h3>
    ${text && pre(title, pretty(text))}
  </div>`
  return html`<p>This request ${storyOf(request)}</p>
    ${request.warnings.map((text) => html`<p class="note">${text}</p>`)}
    ${facts([
      ["Request", html`<span class="method">${method}</span> ${path}`],
      [
        "Response",
        html`${chip(statusOf(request))} ${took_ms !== null && `in ${took_ms} ms`} ${error && html`<strong>${error.code}</strong> ${error.message}`}`
      ],
      ["Correlation id", request.correlation_id],
      ["Key", key ?? "none"],
      ["Made with the key", key && made?.length ? linksTo(key, made) : "nothing"],
      ["Time", at],
      ["Replay, fault", `${replay ? "replay" : "no replay"}, ${fault ?? "no fault"}`]
    ])}
    <div class="bodies">${bodyOf("Request body", body_bytes, body)} ${bodyOf("Response body", response_bytes, response)}</div>
    <p class="bar">
      ${copyButton(() => lineOf(request, credentials))}
      ${key && html`<button type="button" onClick=${() => select(key)}>Show the requests with this key</button>`}
    </p>`
}

/** @param {string} wanted */
const nothing = (wanted) => html`<div class="note">
  <p>No request has “${wanted}” as key, reference, correlation id or status. The list has the newest 1,000.</p>
  <p>${resourceLink("Look for it in the resources", { find: wanted })}</p>
</div>`

/** @param {string} wanted @param {ReadonlyArray<string>} keys */
const several = (wanted, keys) => html`<div class="note">
  <p>${keys.length} keys contain “${wanted}”. Choose one to see what its requests did:</p>
  <ul>
    ${keys.slice(-10).map((key) => html`<li key=${key}>${linkButton(keyText(key), () => select(key))}</li>`)}
    ${keys.length > 10 && html`<li>and ${keys.length - 10} older ones</li>`}
  </ul>
</div>`

/** The requests, newest first. @param {string} caption @param {ReadonlyArray<Exchange>} requests */
export const journal = (caption, requests) =>
  table(
    caption,
    [
      [
        "No.",
        (one) =>
          linkButton(`#${one.index}`, () => open(one), `#${one.index} ${one.operation ?? one.path}`)
      ],
      ["-Time", (one) => time(one.at)],
      [
        "Operation",
        (one) => html`<span class="method">${one.method}</span> ${one.operation ?? one.path}`
      ],
      [
        "Response",
        (one) =>
          html`${chip(statusOf(one))} ${one.error && html`<span class="wide">${one.error.code}</span>`}`
      ],
      ["*Key", ({ key }) => key !== null && linkButton(keyText(key), () => select(key))],
      [
        "-Notes",
        (one) =>
          [
            one.replay && "replay",
            one.ending === "answered" && one.fault,
            one.warnings.length > 0 && "warning"
          ]
            .filter(Boolean)
            .join(", ")
      ],
      ["#-Took", (one) => one.took_ms !== null && `${one.took_ms} ms`]
    ],
    [...requests].reverse(),
    ({ index }) => index,
    "lines"
  )

export const Requests = () => {
  /** @type {Credentials | undefined} */
  const credentials = useRead(state.requests.size === 0 ? "/credentials" : undefined)
  const all = [...state.requests.values()]
  const find = state.query.get("find") ?? ""
  const wanted = find.trim()
  const operation = state.query.get("operation") ?? ""
  const keys = keysOf(wanted)
  const [key] = keys
  const named = all.filter((one) =>
    key === undefined ? isNamed(wanted, one) : one.key !== null && keys.includes(one.key)
  )
  const selected = named.filter((one) => operation === "" || one.operation === operation)
  const operations = new Set(
    [operation, ...all.map((one) => one.operation)].flatMap((name) => name || [])
  )
  const hidden = named.length - selected.length
  return html`
    ${form(html`
      ${search("Key, reference, correlation id or status", find, (text) => filter({ find: text }))}
      ${choice(
        "Operation",
        operation,
        [["", "all"], ...[...operations].map((name) => /** @type {const} */ ([name, name]))],
        (name) => filter({ operation: name })
      )}
      <button type="button" onClick=${() => filter({ find: "", operation: "" })}>Show all requests</button>
      <button type="button" onClick=${togglePause}>${state.isPaused ? "Continue" : "Pause"}</button>
    `)}
    <div id="explanation" role="region" aria-label="Explanation" aria-live="polite" tabindex="-1">
      ${
        all.length > 0 &&
        wanted !== "" &&
        (keys.length > 1
          ? several(wanted, keys)
          : key !== undefined
            ? html`<${Why} key=${key} name=${key} requests=${named} onOpen=${open}
                hidden=${hidden > 0 && `The table below leaves out ${hidden} of them: it shows only ${operation}.`} />`
            : named.length === 0 && nothing(wanted))
      }
    </div>
    ${
      all.length === 0
        ? empty(
            "No request has arrived yet. These lines send a first payment:",
            firstPayment(credentials)
          )
        : journal(
            `${selected.length === all.length ? "" : `${grouped(selected.length)} of `}${counted(all.length, "request")}${selected.length > shown ? `, the newest ${shown} shown` : ""}`,
            selected.slice(-shown)
          )
    }`
}
