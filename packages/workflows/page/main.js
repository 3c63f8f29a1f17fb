// The page of a runner: batches and executions, by state, time and failure, and the processes that run them.
import { start } from "../../sandbox/page/app.js"
import {
  choice,
  empty,
  form,
  grouped,
  search,
  table,
  textIn,
  tile
} from "../../sandbox/page/parts.js"
import { html, useState } from "../../sandbox/page/preact.js"
import { addressOf, filter, refresh, state, update, useRead } from "../../sandbox/page/state.js"
import { call, enter, follow, forget, hasToken } from "./api.js"
import { Executions } from "./execution.js"
import { Alarm, linkTo, stateChip, when } from "./parts.js"

/** @typedef {import("./parts.js").Status} Status */
/** @typedef {import("./parts.js").Runner} Runner */
/** @typedef {{ workflow: string, running: number, waiting: number, oldest: string }} Open */

const shown = 100

const firstLine = `yield* CollectPayment.workflow.execute({ key: IdempotencyKey.derive("order", "42"), ...payment })`

/** The states of the list, each with what an empty list says. @type {Readonly<Record<keyof typeof import("../src/internal/operate/states.js").states, readonly [string, string]>>} */
const texts = {
  open: [
    "Not ended",
    "Nothing is in progress. An execution appears here when a program starts it, such as with this line:"
  ],
  running: ["Running, in a step", "No execution is in a step."],
  waiting: ["Waiting, in a pause", "No execution is in a pause."],
  failed: ["Failed", "No execution has failed. There is nothing to do."],
  died: ["Failed with a defect", "No execution has ended with a defect. There is nothing to do."],
  succeeded: ["Succeeded", "No execution has ended with a result yet."],
  all: ["All", "Nothing was started. A program starts an execution, such as with this line:"]
}

const day = 86_400

/** The times of the filter, in seconds. @type {ReadonlyArray<readonly [string, string]>} */
const ages = [
  ["", "At any time"],
  ["3600", "In the last hour"],
  [`${day}`, "In the last day"],
  [`${7 * day}`, "In the last 7 days"],
  [`${30 * day}`, "In the last 30 days"]
]

/** The start of a filter. It stays the same for some time, and so does the address of what is read. @param {string} age in seconds */
const since = (age) => {
  if (age === "") return ""
  const millis = Number(age) * 1_000
  const step = millis / 60
  return new Date(Math.floor((Date.now() - millis) / step) * step).toISOString()
}

/** Rows of `list`. @param {Readonly<Record<string, string>>} filter @returns {ReadonlyArray<Status> | undefined} */
const useList = (filter) =>
  useRead(`list?${new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""))}`)

/** @param {string} caption @param {ReadonlyArray<Status>} rows */
const listed = (caption, rows) =>
  table(
    caption,
    [
      ["*Key", linkTo],
      ["-Workflow", ({ workflow }) => workflow],
      ["-Started", ({ started }) => when(started)],
      ["State", stateChip],
      [
        "Now",
        // An open one may have failed, or wait for another version: its first words say which.
        ({ ended, failure, now }) =>
          html`<span title=${failure}>${(ended === undefined ? undefined : failure) ?? now}</span>`
      ]
    ],
    rows,
    ({ key, workflow }) => `${workflow}/${key}`,
    "lines"
  )

/** @param {{ runners: ReadonlyArray<Runner> }} props */
const Overview = ({ runners }) => {
  /** @type {ReadonlyArray<Open> | undefined} */
  const open = useRead("summary")
  const failed = useList({ state: "failed", since: since(`${day}`), limit: `${shown}` })
  const batches = useList({ state: "all", batches: "true", newest: "true", limit: "5" })
  if (open === undefined || failed === undefined || batches === undefined) return null
  /** @param {"running" | "waiting"} name */
  const sum = (name) => open.reduce((sum, one) => sum + one[name], 0)
  const [oldest] = open.map((one) => one.oldest).sort()
  const more = failed.length === shown ? " at least" : ""
  return html`<ul class="tiles">
      ${tile("Running", sum("running"), addressOf("executions", { state: "running" }), "in a step")}
      ${tile("Waiting", sum("waiting"), addressOf("executions", { state: "waiting" }), oldest ? html`the oldest open one started ${when(oldest)}` : "in a pause")}
      ${tile("Failed", failed.length, addressOf("executions", { state: "failed", age: `${day}` }), `in the last day${more}`, "bad")}
    </ul>
    ${batches.length > 0 && listed("The newest batches", batches)}
    ${batches.length === 0 && sum("running") + sum("waiting") + failed.length === 0 && empty(texts.open[1], firstLine)}
    ${table(
      "Runners: the processes that run workflows",
      [
        ["*Process", ({ name }) => name],
        ["Seen", ({ seen }) => when(seen)],
        [
          "State",
          ({ state }) =>
            html`<span class=${`chip ${state === "runs" ? "good" : "bad"}`}>${state}</span>`
        ]
      ],
      runners,
      ({ name }) => name,
      "lines"
    )}`
}

const Batches = () => {
  const age = state.query.get("age") ?? ""
  const rows = useList({
    state: "all",
    batches: "true",
    newest: "true",
    since: since(age),
    limit: `${shown}`
  })
  return html`${form(choice("Started", age, ages, (age) => filter({ age })))}
    ${rows && (rows.length === 0 ? empty("No batch was started then.") : listed(captionOf(rows, "batch", "batches"), rows))}`
}

/** @param {ReadonlyArray<unknown>} rows @param {string} one @param {string} many */
const captionOf = (rows, one, many) => {
  if (rows.length === shown) return `The newest ${shown}. Choose a time to see others.`
  return `${grouped(rows.length)} ${rows.length === 1 ? one : many}, the newest first`
}

const List = () => {
  const [key, setKey] = useState("")
  const {
    age = "",
    failure = "",
    state: name = "open",
    workflow = ""
  } = Object.fromEntries(state.query)
  /** @type {ReadonlyArray<Open> | undefined} */
  const open = useRead("summary")
  const rows = useList({
    state: name,
    workflow,
    failure,
    since: since(age),
    newest: "true",
    limit: `${shown}`
  })
  const found = [...(open ?? []), ...(rows ?? [])].map(({ workflow }) => workflow)
  const workflows = [...new Set([workflow, ...found])].filter(Boolean).sort()
  const [, none] = Object.entries(texts).find(([one]) => one === name)?.[1] ?? ["", ""]
  const line = name === "open" || name === "all" ? firstLine : undefined
  const isFiltered = workflow !== "" || failure !== "" || age !== ""
  return html`
    ${form(
      html`${search("Key of an execution or a batch", key, setKey)}<button>Show</button>`,
      () => {
        if (key.trim() !== "") location.hash = addressOf("execution", { key: key.trim() })
      }
    )}
    ${form(html`
      ${choice(
        "State",
        name,
        Object.entries(texts).map(([one, [label]]) => [one, label]),
        (state) => filter({ state })
      )}
      ${choice("Workflow", workflow, [["", "All"], ...workflows.map((one) => /** @type {const} */ ([one, one]))], (workflow) => filter({ workflow }))}
      ${choice("Started", age, ages, (age) => filter({ age }))}
      ${search("Failure, such as OutcomeUnknown", failure, (failure) => filter({ failure }))}
    `)}
    ${
      rows &&
      (rows.length > 0
        ? listed(captionOf(rows, "execution", "executions"), rows)
        : isFiltered
          ? empty("No execution fits these filters.")
          : empty(none, line))
    }
    ${failure && html`<p class="hint">The failures of the newest 10,000 executions were searched.</p>`}`
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

const views = { overview: Overview, batches: Batches, executions: List, execution: Executions }

/** @param {{ view: string }} props */
const Unlocked = ({ view }) => {
  /** @type {ReadonlyArray<Runner> | undefined} */
  const runners = useRead("runners")
  const View = Object.entries(views).find(([name]) => name === view)?.[1]
  return html`<${Alarm} runners=${runners} /><${View} runners=${runners ?? []} />`
}

if (!hasToken()) update({ connection: "locked" })
start({
  title: "Manilla workflows",
  call,
  named: ["overview", "batches", "executions"],
  views: Object.fromEntries(
    Object.keys(views).map((name) => [
      name,
      () => (hasToken() ? html`<${Unlocked} view=${name} />` : html`<${Ask} />`)
    ])
  ),
  tools: () => hasToken() && html`<button type="button" onClick=${forget}>Lock this tab</button>`
})
follow(refresh)
