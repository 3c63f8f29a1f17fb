// The clock, the credentials and the reset.
import { call, controlCurl, curl } from "./api.js"
import { actButton, copyButton, facts, form } from "./parts.js"
import { html, useRef } from "./preact.js"
import { act, update, useRead } from "./state.js"

/** @typedef {typeof import("../src/ControlApi.js").Credentials.Encoded} Credentials */
/** @typedef {typeof import("../src/ControlApi.js").Clock.Encoded} Clock */

/** @type {ReadonlyArray<readonly [text: string, seconds: number]>} */
const steps = [
  ["2 seconds", 2],
  ["1 minute", 60],
  ["1 hour", 3600],
  ["1 day", 86_400],
  ["30 days", 2_592_000]
]

/** @param {number} seconds */
const advance = (seconds) => async () => {
  /** @type {Clock} */
  const { now } = await call("POST", "/clock/advance", { seconds })
  update({ now, isMoved: true })
  return `The clock is now ${now.slice(0, 19).replace("T", " ")} UTC.`
}

export const Clock = () => {
  const input = /** @type {{ current: HTMLInputElement | null }} */ (useRef(null))
  const seconds = () => Number(input.current?.value)
  return html`
    <p>Advancing the clock runs what becomes due at once: payments settle, and tokens and links expire.</p>
    <p class="bar">${steps.map(([text, seconds]) => actButton(text, advance(seconds)))}</p>
    ${form(
      html`<label>Seconds <input ref=${input} type="number" min="0" step="any" required /></label>
        <button type="submit">Advance</button>
        ${copyButton(() => controlCurl("POST", "/clock/advance", { seconds: seconds() }))}`,
      () => act(advance(seconds()))
    )}`
}

/** @param {string} method @param {string} path @param {string} done */
const called = (method, path, done) => async () => {
  await call(method, path)
  return done
}

export const Credentials = () => {
  /** @type {Credentials | undefined} */
  const credentials = useRead("/credentials")
  if (credentials === undefined) return null
  const { auth_url, base_url, client_id, client_secret } = credentials
  const body = JSON.stringify({ client_id, client_secret })
  return html`
    <p>They give access to this sandbox only.</p>
    ${facts([
      ["Base URL", html`<code>${base_url}</code>`],
      ["Auth URL", html`<code>${auth_url}</code>`],
      ["Client id", html`<code>${client_id}</code>`],
      ["Client secret", html`<code id="secret">${client_secret}</code>`]
    ])}
    <p class="bar">
      ${copyButton(() => curl("POST", `${auth_url}/auth/application/token`, { body }), "Copy a token request as curl")}
      ${actButton("Replace the client secret", called("POST", "/credentials/rotate", "The client secret was replaced, and its tokens were revoked."))}
      ${actButton("Revoke all tokens", called("POST", "/tokens/revoke", "All tokens were revoked."))}
    </p>
    <h3>Start again</h3>
    <p>A reset restores the initial state: wallets, credentials and clock. All resources and requests are deleted.</p>
    <p class="bar">${actButton("Reset the sandbox", called("POST", "/reset", "The sandbox is in its initial state."))}</p>`
}
