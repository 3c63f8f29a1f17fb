// Follows the requests while the page is visible, and reads the sandbox's time.
import { call } from "./api.js"
import { refresh, state, update } from "./state.js"

/** @typedef {typeof import("../src/ControlApi.js").LiveRequests.Encoded} LiveRequests */
/** @typedef {typeof import("../src/ControlApi.js").Clock.Encoded} Clock */

const kept = 1000

/** Events while the list is paused. @type {Array<LiveRequests>} */
let waiting = []

/** @type {EventSource | undefined} */
let source

/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon

/** @param {LiveRequests} live */
const apply = ({ requests: changed, reset }) => {
  const requests = reset ? new Map() : state.requests
  for (const request of changed) requests.set(request.index, request)
  for (const index of [...requests.keys()].slice(0, Math.max(0, requests.size - kept))) {
    requests.delete(index)
  }
  update({ requests })
}

export const togglePause = () => {
  for (const event of waiting) apply(event)
  waiting = []
  update({ isPaused: !state.isPaused })
}

const refreshSoon = () => {
  soon ??= setTimeout(async () => {
    soon = undefined
    refresh()
    /** @type {Clock | undefined} */
    const clock = await call("GET", "/clock").catch(() => undefined)
    if (clock === undefined) return
    const isMoved = Math.abs(Date.parse(clock.now) - Date.now()) > 10_000
    update({ now: clock.now, isMoved })
  }, 250)
}

const connect = () => {
  if (document.hidden || source !== undefined) return
  const opened = new EventSource("/_sandbox/requests/stream")
  source = opened
  opened.addEventListener("open", () => update({ connection: "connected" }))
  opened.addEventListener("requests", ({ data }) => {
    /** @type {LiveRequests} */
    const live = JSON.parse(data)
    if (!state.isPaused) apply(live)
    else if (waiting.push(live) > kept) waiting.shift()
    refreshSoon()
  })
  opened.addEventListener("error", () => {
    update({ connection: "not connected" })
    refreshSoon()
    // The browser connects again by itself, except after a response with an error.
    if (opened.readyState === EventSource.CLOSED && source === opened) {
      source = undefined
      setTimeout(connect, 3000)
    }
  })
}

export const follow = () => {
  // A browser has few connections per site, so hidden pages do not hold one.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close()
      source = undefined
    } else connect()
  })
  // Resources also change with the time.
  setInterval(() => {
    if (!document.hidden) refreshSoon()
  }, 2000)
  connect()
  refreshSoon()
}
