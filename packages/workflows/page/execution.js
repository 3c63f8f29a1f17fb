// One execution: why it waits, its history as a drawing, the progress of a batch, and what a reader may ask of it.
import { titleOf } from "../../sandbox/page/app.js"
import { Drawing } from "../../sandbox/page/drawing.js"
import {
  chip,
  choice,
  facts,
  form,
  grouped,
  money,
  search,
  table,
  time
} from "../../sandbox/page/parts.js"
import { html, useState } from "../../sandbox/page/preact.js"
import { act, openDialog, state, update, useRead } from "../../sandbox/page/state.js"
import { call } from "./api.js"

/** @typedef {import("../src/internal/operate/operations.js").Report} Report */
/** @typedef {NonNullable<Report["items"]>} Counts */
/** @typedef {import("../../sandbox/page/drawing.js").Attempt} Attempt */

/** The executions with the key of the address. */
export const Executions = () => {
  /** @type {ReadonlyArray<Report> | undefined} */
  const reports = useRead(`show?${state.query}`)
  return reports === undefined
    ? null
    : html`${reports.map((report) => html`<${Execution} key=${report.workflow} report=${report} />`)}`
}

/** @param {{ report: Report }} props */
const Execution = ({ report }) => {
  const { due, ended, items, key, resource, started = "", text, workflow } = report
  const actions = actionsOf(report).map(
    (name) =>
      html`<button key=${name} type="button" onClick=${() => ask(name, report)}>${titleOf(name)}</button>`
  )
  const next = due === undefined ? undefined : html`pause until ${time(due)}, the next wake-up`
  return html`<section aria-label=${`${key} of ${workflow}`}>
    <h3>${workflow} ${chip(report.state)}</h3>
    <p>${text}</p>
    ${actions.length > 0 && html`<div class="bar">${actions}</div>`}
    ${facts([
      ["Started", time(started)],
      ["Ended", ended === undefined ? "not yet" : time(ended)],
      ["Resource", resource ?? "none"]
    ])}
    ${
      items === undefined
        ? html`<${Drawing} label="The history" caller="The execution" attempts=${attemptsOf(report)} next=${next} />`
        : html`<${Progress} items=${items} name=${key} /><${Items} name=${key} />`
    }
  </section>`
}

/** @typedef {"resume" | "pause" | "interrupt"} Action */

/** The effect of an action, for an execution and for a batch. @type {Readonly<Record<Action, readonly [string, string]>>} */
const effects = {
  resume: [
    "Its pause ends now, and it continues. A request that is sent again has the same key.",
    "It sends items again."
  ],
  pause: ["", "It sends no further items until you resume it. Those that were sent continue."],
  interrupt: [
    "It stops for good. If the outcome of a request is unknown, that is continued first. A payment that was made stays made.",
    "It sends no further items, for good. Those that were sent continue."
  ]
}

/** The actions that a state permits. @param {Report} report @returns {ReadonlyArray<Action>} */
const actionsOf = ({ ended, interruptRequested, items, state }) => {
  if (ended !== undefined || state === "interrupted") return []
  /** @type {ReadonlyArray<Action>} */
  const interrupt = interruptRequested ? [] : ["interrupt"]
  if (items !== undefined) return [state === "paused" ? "resume" : "pause", ...interrupt]
  return state === "waiting" ? ["resume", ...interrupt] : interrupt
}

/** Asks before an action. @param {Action} name @param {Report} report */
const ask = (name, { items, key, workflow }) =>
  openDialog(
    `${titleOf(name)} ${key}?`,
    () => html`<p>${effects[name][items === undefined ? 0 : 1]}</p>
      ${form(html`<button type="submit">${titleOf(name)}</button>`, () => {
        update({ dialog: undefined })
        act(async () => {
          /** @type {ReadonlyArray<Report>} */
          const rows = await call("POST", `${name}?${new URLSearchParams({ key, workflow })}`)
          return rows.map(({ text }) => `${key}: ${text}`).join(" ")
        })
      })}`
  )

/** @param {string} state of items */
const toneOf = (state) => {
  if (state === "completed") return "good"
  return /^(notCompleted|failed|inDoubt)$/.test(state) ? "bad" : ""
}

/** @param {{ items: Counts, name: string }} props */
const Progress = ({ items, name }) => {
  /** @param {Counts} some */
  const sum = (some) => some.reduce((sum, one) => sum + one.items, 0)
  const total = sum(items)
  const sent = items.filter(({ state }) => state !== "waiting")
  const ended = items.filter(({ state }) => toneOf(state) !== "" || state === "purged")
  const text = `${grouped(sum(sent))} of ${grouped(total)} items were sent, ${grouped(sum(ended))} have ended`
  return html`<h3>${text}</h3>
    <div class="progress" role="img" aria-label=${text}>${sent.map(
      ({ items, state }) =>
        html`<span key=${state} class=${toneOf(state)} style=${{ width: `${(100 * items) / total}%` }}></span>`
    )}</div>
    ${table(
      `The command “npx manilla-workflows results '${name}'” prints the result of each item.`,
      [
        ["Items", ({ state, text }) => html`<span class=${toneOf(state)}>${text}</span>`],
        ["#Number", ({ items }) => grouped(items)]
      ],
      items,
      ({ state }) => state
    )}`
}

const perPage = 50

/** The names of the items that the list selects. @type {ReadonlyArray<readonly [string, string]>} */
const selections = [
  ["unpaid", "Ended, not paid"],
  ["open", "Not ended"],
  ["paid", "Paid"],
  ["all", "All"]
]

/** The items of a batch, a page at a time. @param {{ name: string }} props */
const Items = ({ name }) => {
  const [asked, setAsked] = useState({ only: "unpaid", item: "", after: "" })
  const { item, ...others } = asked
  const query = Object.entries({ key: name, ...others, item: item.trim(), limit: `${perPage}` })
  /** @type {ReadonlyArray<import("../src/internal/operate/operations.js").ItemRow> | undefined} */
  const rows = useRead(`items?${new URLSearchParams(query.filter(([, value]) => value !== ""))}`)
  const last = rows?.length === perPage ? rows.at(-1) : undefined
  return html`<h3>Items</h3>
    ${form(html`
      ${choice("Show", asked.only, selections, (only) => setAsked({ ...asked, only, after: "" }))}
      ${search("Key of an item", item, (item) => setAsked({ ...asked, item, after: "" }))}
    `)}
    ${
      rows &&
      table(
        rows.length === 0 ? "No such item." : "In the order of the batch",
        [
          ["*Item", ({ item }) => item],
          ["#Amount", ({ amount, currency }) => amount && `${money(amount)} ${currency}`],
          ["State", ({ state }) => html`<span class="chip ${toneOf(state)}">${state}</span>`],
          ["Why", ({ why }) => why]
        ],
        rows,
        ({ number }) => number
      )
    }
    <div class="bar">
      ${asked.after !== "" && html`<button type="button" onClick=${() => setAsked({ ...asked, after: "" })}>First items</button>`}
      ${last && html`<button type="button" onClick=${() => setAsked({ ...asked, after: `${last.number}` })}>Next items</button>`}
    </div>`
}

/** The events as the drawing shows them: a response belongs to its request. @param {Report} report */
const attemptsOf = ({ events, key }) => {
  /** @type {Map<string, Attempt>} */
  const attempts = new Map()
  events.forEach((event, id) => {
    const { atMillis, detail, kind, step, text, tone } = event
    const before = events[id - 1]
    const isRequest = /^(sent|answered|looked)$/.test(kind)
    const name = isRequest ? step : String(id)
    attempts.set(name, {
      id,
      key: isRequest && kind !== "looked" ? key : null,
      label: step || text,
      startMillis: atMillis,
      pauseMillis: before?.pauseMillis === undefined ? undefined : atMillis - before.atMillis,
      isReplay: false,
      reachedService: true,
      ...attempts.get(name),
      endMillis: kind === "sent" ? undefined : atMillis,
      status: kind === "sent" ? undefined : statusOf(event, isRequest),
      // The end repeats the message of the request that failed.
      note:
        tone === "bad" && detail !== before?.detail
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
