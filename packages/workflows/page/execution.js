// One execution: why it waits, its history as a drawing, and the actions that its state permits.
import { breakable, Drawing } from "../../sandbox/page/drawing.js"
import { facts, form, keyText } from "../../sandbox/page/parts.js"
import { html } from "../../sandbox/page/preact.js"
import { act, openDialog, state, update, useRead } from "../../sandbox/page/state.js"
import { moment } from "../src/internal/operate/times.js"
import { call } from "./api.js"
import { BatchView } from "./batch.js"
import { stateChip, when } from "./parts.js"

/** @typedef {import("../src/internal/operate/reports.js").Report} Report */
/** @typedef {Report["actions"][number]} Action */
/** @typedef {import("../../sandbox/page/drawing.js").Attempt} Attempt */

/** The executions with the key of the address. */
export const Executions = () => {
  const named = new URLSearchParams(
    [...state.query].filter(([name]) => name === "key" || name === "workflow")
  )
  /** @type {ReadonlyArray<Report> | undefined} */
  const reports = useRead(`show?${named}`)
  return reports === undefined
    ? null
    : html`${reports.map((report) => html`<${Execution} key=${report.workflow} report=${report} />`)}`
}

/** @param {{ report: Report }} props */
const Execution = ({ report }) => {
  const { actions, due, ended, failure, items, key, resource, started, text, workflow } = report
  const next =
    due &&
    (Date.parse(due) <= Date.now()
      ? "it goes on now"
      : html`the next wake-up is ${when(due)}, at ${moment(Date.parse(due))}`)
  return html`<section aria-label=${`${keyText(key)} of ${workflow}`}>
    <h3>${workflow} ${stateChip(report)}</h3>
    <p>${text}</p>
    ${failure && html`<p class="note bad">${failure}</p>`}
    ${
      actions.length > 0 &&
      html`<div class="bar">${actions.map(
        (action) =>
          html`<button key=${action.name} type="button" class=${action.name === "interrupt" && "danger"} onClick=${() => ask(action, report)}>${labelOf(action.name, report)}</button>`
      )}</div>`
    }
    ${facts([
      // The command takes it as it is stored.
      ...(keyText(key) === key
        ? []
        : [/** @type {const} */ (["Key", html`<code>${breakable(key)}</code>`])]),
      ["Started", when(started)],
      ["Ended", ended === undefined ? "not yet" : when(ended)],
      // While an outcome is unknown, nobody knows whether something was made.
      ...(resource === undefined ? [] : [/** @type {const} */ (["Made", resource])])
    ])}
    ${
      items === undefined
        ? html`<${Drawing} label="The history" caller="The execution" attempts=${attemptsOf(report)} next=${next} />`
        : html`<${BatchView} report=${report} />`
    }
  </section>`
}

/** The labels of actions, for an execution and for a batch. @type {Readonly<Record<Action["name"], readonly [string, string]>>} */
const labels = {
  resume: ["Try again now", "Resume"],
  pause: ["", "Pause"],
  interrupt: ["Give up", "Stop sending"]
}

/** @param {Action["name"]} name @param {Report} report */
const labelOf = (name, { items }) => labels[name][items === undefined ? 0 : 1]

/** Asks before an action. @param {Action} action @param {Report} report */
const ask = ({ effect, name }, report) => {
  const { key, workflow } = report
  const label = labelOf(name, report)
  openDialog(
    `${label}: ${keyText(key)}?`,
    () => html`<p>${effect}</p>
      ${form(
        html`<button type="submit" class=${name === "interrupt" && "danger"}>${label}</button>`,
        () => {
          update({ dialog: undefined })
          act(async () => {
            /** @type {ReadonlyArray<Report>} */
            const rows = await call("POST", `${name}?${new URLSearchParams({ key, workflow })}`)
            return rows.map(({ text }) => `${keyText(key)}: ${text}`).join(" ")
          })
        }
      )}`
  )
}

/** The events as the drawing shows them: a response belongs to its request. @param {Report} report */
const attemptsOf = ({ events, failure, key }) => {
  /** @type {Map<string, Attempt>} */
  const attempts = new Map()
  events.forEach((event, id) => {
    const { atMillis, detail, kind, step, text, tone } = event
    const before = events[id - 1]
    const isRequest = /^(sent|answered|looked)$/.test(kind)
    const name = isRequest ? step : String(id)
    attempts.set(name, {
      id,
      key: isRequest && kind !== "looked" ? keyText(key) : null,
      label: step || text,
      startMillis: atMillis,
      pauseMillis: before?.pauseMillis === undefined ? undefined : atMillis - before.atMillis,
      isReplay: false,
      reachedService: true,
      ...attempts.get(name),
      endMillis: kind === "sent" ? undefined : atMillis,
      status: kind === "sent" ? undefined : statusOf(event, isRequest),
      // The end repeats the message of the request that failed, and a pause that of the whole execution.
      note:
        tone === "bad" && detail !== before?.detail && detail !== failure
          ? [isRequest && text, detail].filter(Boolean).join(": ")
          : ""
    })
  })
  return [...attempts.values()]
}

/** The fate of a request without a good response. */
const outcomes = {
  applied: "processed it",
  notApplied: "did not process it",
  unknown: "may have processed it"
}

/** @param {Report["events"][number]} event @param {boolean} isRequest @returns {import("../../sandbox/page/drawing.js").Words} */
const statusOf = (event, isRequest) => {
  const { detail, kind, outcome, pauseMillis, step, text } = event
  const tone = event.tone ?? ""
  if (!isRequest) return { answer: "", effect: step && text, tone }
  const good = kind === "looked" ? "read" : "answered"
  if (tone !== "bad") return { answer: good, effect: detail ?? text, tone }
  const answer = pauseMillis === undefined ? "failed" : "outcome unknown"
  return { answer, effect: outcome ? outcomes[outcome] : text, tone }
}
