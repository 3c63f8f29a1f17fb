// The parts that the views of a runner have in common.
import { chip } from "../../sandbox/page/parts.js"
import { html } from "../../sandbox/page/preact.js"
import { addressOf } from "../../sandbox/page/state.js"
import { distance, moment } from "../src/internal/operate/times.js"

/** @typedef {import("../src/internal/operate/reports.js").Status} Status */
/** @typedef {{ name: string, state: "runs" | "is gone", seen: string }} Runner */

/** A time as people say it, with its date on demand. @param {string | undefined} at */
export const when = (at = "") => {
  const millis = Date.parse(at)
  return html`<time datetime=${at} title=${moment(millis)}>${distance(millis, Date.now())}</time>`
}

/** A state. That of a batch that has ended says whether all of its items are paid. @param {Status} status */
export const stateChip = ({ ended, now, state, unpaid = 0 }) => {
  if (ended === undefined || unpaid === 0) return chip(now.startsWith("all paid") ? "paid" : state)
  return html`<span class="chip bad">not all paid</span>`
}

/** @param {Status} status */
export const linkTo = ({ key, workflow }) =>
  html`<a href=${addressOf("execution", { key, workflow })}>${key}</a>`

/** Says loudly that nothing happens. @param {{ runners: ReadonlyArray<Runner> | undefined }} props */
export const Alarm = ({ runners }) => {
  if (runners === undefined || runners.some(({ state }) => state === "runs")) return null
  const [last] = runners
    .map(({ seen }) => seen)
    .sort()
    .reverse()
  return html`<div class="note bad" role="alert">
    <h3>No runner is alive: nothing is sent, and nothing continues</h3>
    <p>Start a process that runs these workflows. ${last && html`The last one was seen ${when(last)}.`} Nothing is lost meanwhile.</p>
  </div>`
}
