// Shows one view at a time, chosen by the fragment of the address, and keeps it current.
import { refreshClock, refreshCredentials } from "./controls.js"
import { announce, byId } from "./dom.js"
import { refresh as refreshFaults } from "./faults.js"
import { refresh as refreshMoney } from "./money.js"
import { follow } from "./requests.js"
import { refresh as refreshResources } from "./resources.js"

/** The views, each with what reads its data. @type {ReadonlyMap<string, () => Promise<void>>} */
const views = new Map([
  ["requests", () => Promise.resolve()],
  ["resources", refreshResources],
  ["money", refreshMoney],
  ["faults", refreshFaults],
  ["clock", () => Promise.resolve()],
  ["access", refreshCredentials]
])

let current = "requests"
let failure = ""

const refresh = async () => {
  try {
    await Promise.all([refreshClock(), views.get(current)?.()])
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
  const wanted = location.hash.slice(1)
  if (wanted === "main") return
  current = views.has(wanted) ? wanted : "requests"
  for (const name of views.keys()) {
    byId(`view-${name}`, HTMLElement).hidden = name !== current
    const link = document.querySelector(`nav a[href="#${name}"]`)
    if (name === current) link?.setAttribute("aria-current", "page")
    else link?.removeAttribute("aria-current")
  }
  if (byUser) {
    const title = byId(`title-${current}`, HTMLElement)
    title.tabIndex = -1
    title.focus()
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
  onConnection: (isOpen) => {
    const connection = byId("connection", HTMLElement)
    connection.textContent = isOpen ? "live" : "not connected"
    connection.className = isOpen ? "good" : "bad"
    if (!isOpen) refreshSoon()
  }
})
window.addEventListener("hashchange", () => show(true))
// Resources also change with the time.
setInterval(() => {
  if (!document.hidden) refreshSoon()
}, 2000)
show(false)
