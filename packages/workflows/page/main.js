// The page of a runner: executions by state, the history of one, and the progress of a batch.
import { start } from "../../sandbox/page/app.js"
import { duration } from "../../sandbox/page/drawing.js"
import {
  chip,
  counted,
  empty,
  form,
  linkButton,
  search,
  table,
  textIn,
  tile,
  time
} from "../../sandbox/page/parts.js"
import { html, useState } from "../../sandbox/page/preact.js"
import { addressOf, refresh, update, useRead } from "../../sandbox/page/state.js"
import { call, enter, follow, forget, hasToken } from "./api.js"
import { Executions } from "./execution.js"

/** @typedef {import("../src/internal/operate/operations.js").Status} Status */
/** @typedef {{ workflow: string, running: number, waiting: number, oldest: string }} Open */

const shown = 100

/** The states of the list, each with what an empty list says. @type {Readonly<Record<string, string>>} */
const states = {
  open: "Nothing is in progress. An execution appears here when a program starts it, such as with this line:",
  running: "No execution is in a step. Those in a pause are in Waiting.",
  waiting: "No execution is in a pause. Those in a step are in Running.",
  succeeded: "No execution has ended with a result yet. Those in progress are in Open.",
  failed: "No execution has failed. There is nothing to do.",
  died: "No execution has ended with a defect. There is nothing to do.",
  all: "Nothing was started on this database yet. A program starts an execution, such as with this line:"
}
const firstLine = `yield* CollectPayment.workflow.execute({ key: IdempotencyKey.derive("order", "42"), ...payment })`

const Tiles = () => {
  /** @type {ReadonlyArray<Open> | undefined} */
  const open = useRead("summary")
  if (open === undefined) return null
  /** @param {"running" | "waiting"} name */
  const sum = (name) => open.reduce((sum, one) => sum + one[name], 0)
  const [oldest] = open.map((one) => one.oldest).sort()
  return html`<ul class="tiles">
    ${tile("Running", sum("running"), "#running", "in a step")}
    ${tile("Waiting", sum("waiting"), "#waiting", "in a pause")}
    ${oldest && tile("Oldest", duration(Date.now() - Date.parse(oldest)), "#open", html`since ${time(oldest)}`)}
  </ul>`
}

/** @param {Status} status */
const linkTo = ({ key, workflow }) =>
  html`<a href=${addressOf("execution", { key, workflow })}>${key}</a>`

/** @param {string} name */
const listOf = (name) => () => {
  const [key, setKey] = useState("")
  /** @type {ReadonlyArray<Status> | undefined} */
  const rows = useRead(`list?state=${name}&limit=${shown}`)
  if (rows === undefined) return null
  const line = name === "open" || name === "all" ? firstLine : undefined
  return html`
    ${name === "open" && html`<${Tiles} />`}
    ${form(
      html`${search("Key of an execution or a batch", key, setKey)}<button>Show</button>`,
      () => {
        if (key.trim() !== "") location.hash = addressOf("execution", { key: key.trim() })
      }
    )}
    ${
      rows.length === 0
        ? empty(states[name] ?? "", line)
        : table(
            rows.length < shown ? counted(rows.length, "execution") : `The oldest ${shown}`,
            [
              ["*Key", linkTo],
              ["-Workflow", ({ workflow }) => workflow],
              ["-Started", ({ started = "" }) => time(started)],
              ["-State", ({ state }) => chip(state)],
              ["Now", ({ now }) => now]
            ],
            rows,
            ({ key, workflow }) => `${workflow}/${key}`,
            "lines"
          )
    }`
}

const Ask = () => {
  const [token, setToken] = useState("")
  const field = html`<label class="grow">Token of the runner
    <input type="password" autocomplete="off" required pattern="[ -~]+" value=${token}
      onInput=${(/** @type {Event} */ event) => setToken(textIn(event))} />
  </label>`
  return html`<div class="empty">
    <p>Enter the token that the program of the runner was given as <code>operate.token</code>. This tab keeps it until you close or lock it.</p>
    ${form(html`${field}<button type="submit">Unlock</button>`, () => {
      enter(token)
      refresh()
    })}
  </div>`
}

const views = {
  ...Object.fromEntries(Object.keys(states).map((name) => [name, listOf(name)])),
  execution: Executions
}

if (!hasToken()) update({ connection: "locked" })
start({
  title: "Manilla workflows",
  call,
  named: Object.keys(states),
  views: Object.fromEntries(
    Object.entries(views).map(([name, View]) => [name, () => html`<${hasToken() ? View : Ask} />`])
  ),
  links: () => hasToken() && linkButton("Lock", forget, "Lock: forget the token")
})
follow(refresh)
