// Shows one view at a time, chosen by the fragment of the address, and keeps it current.
import { refreshClock, refreshCredentials } from "./controls.js"
import { announce, byId, closeDialog } from "./dom.js"
import { refresh as refreshFaults } from "./faults.js"
import { refresh as refreshMoney } from "./money.js"
import { follow, refresh as refreshRequests, show as showRequests } from "./requests.js"
import { refresh as refreshResources, show as showResources } from "./resources.js"

/**
 * The views, each with what reads its data, and what applies the rest of the address.
 *
 * @type {ReadonlyMap<string, { refresh?: () => Promise<void>, show?: (shown: URLSearchParams) => void }>}
 */
const views = new Map([
  ["requests", { refresh: refreshRequests, show: showRequests }],
  ["resources", { refresh: refreshResources, show: showResources }],
  ["money", { refresh: refreshMoney }],
  ["faults", { refresh: refreshFaults }],
  ["clock", {}],
  ["access", { refresh: refreshCredentials }]
])

let current = "requests"
let failure = ""

const refresh = async () => {
  try {
    await Promise.all([refreshClock(), views.get(current)?.refresh?.()])
    if (failure !== "") announce("")
    failure = ""
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // Announced once, not at each attempt.
    if (message !== failure) announce(message, "bad")
    failure = message
  }
}

/** @param {boolean} byUser */
const show = (byUser) => {
  const [wanted = "", shown] = location.hash.slice(1).split("?")
  if (wanted === "main") return
  closeDialog()
  // A message is about the view where it appeared.
  if (failure === "") announce("")
  current = views.has(wanted) ? wanted : "requests"
  for (const name of views.keys()) {
    byId(`view-${name}`, HTMLElement).hidden = name !== current
    const link = document.querySelector(`nav a[data-view="${name}"]`)
    if (name === current) link?.setAttribute("aria-current", "page")
    else link?.removeAttribute("aria-current")
  }
  const parameters = new URLSearchParams(shown)
  views.get(current)?.show?.(parameters)
  if (byUser) {
    const isAnswer = current === "requests" && parameters.has("key")
    const target = byId(isAnswer ? "explanation" : `title-${current}`, HTMLElement)
    target.tabIndex = -1
    target.focus()
  }
  void refresh()
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon

const refreshSoon = () => {
  soon ??= setTimeout(() => {
    soon = undefined
    void refresh()
  }, 250)
}

follow({
  onChange: refreshSoon,
  onConnection: (state) => {
    const connection = byId("connection", HTMLElement)
    connection.textContent = state
    connection.className =
      state === "connected" ? "good" : state === "requests paused" ? "odd" : "bad"
    if (state === "not connected") refreshSoon()
  }
})
window.addEventListener("hashchange", () => show(true))
// Resources also change with the time.
setInterval(() => {
  if (!document.hidden) refreshSoon()
}, 2000)
show(false)
