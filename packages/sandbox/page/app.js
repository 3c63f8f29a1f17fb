// The frame of a page: one view at a time, chosen by the fragment of the address. The page of a runner of workflows
// has the same frame.
import { keyText } from "./parts.js"
import { html, render, useLayoutEffect, useReducer, useRef } from "./preact.js"
import { addressOf, callWith, clearStatus, onUpdate, state, update } from "./state.js"

/**
 * @typedef {{
 *   readonly title: string,
 *   readonly call: import("./state.js").Call,
 *   readonly views: Readonly<Record<string, () => import("preact").VNode | null>>,
 *   readonly named: ReadonlyArray<string>,
 *   readonly links?: () => import("preact").ComponentChild,
 *   readonly tools?: () => import("preact").ComponentChild
 * }} Site `named` views have a link. The first one is shown by default.
 */

/** @param {string} view */
export const titleOf = (view) => view.charAt(0).toUpperCase() + view.slice(1)

/** The filter of each view, to which its link returns. @type {Map<string, URLSearchParams>} */
const filters = new Map()

/** Shows what the address names. @param {Site} site @param {boolean} byReader */
const show = ({ named, views }, byReader) => {
  const [wanted = "", query] = location.hash.slice(1).split("?")
  if (wanted === "main") return
  clearStatus()
  const [first = ""] = named
  const view = wanted in views ? wanted : first
  update({ view, query: new URLSearchParams(query), dialog: undefined })
  if (!byReader) return
  const isAnswer = state.query.has("find") || state.query.has("only")
  // The view is drawn in the next microtask.
  setTimeout(() => {
    const answer = isAnswer ? document.getElementById("explanation") : null
    const target = answer ?? document.getElementById("title")
    target?.focus()
  })
}

const Dialog = () => {
  const element = /** @type {{ current: HTMLDialogElement | null }} */ (useRef(null))
  const { dialog } = state
  useLayoutEffect(() => {
    if (dialog === undefined) element.current?.close()
    else if (element.current?.open === false) element.current.showModal()
    // Otherwise the focus goes to the first button, which is below the text.
    if (dialog !== undefined) document.getElementById("dialog-title")?.focus()
  }, [dialog])
  // Browsers send `close` with a later frame, when the next dialog may be open.
  const onClose = () => element.current?.open || update({ dialog: undefined })
  return html`<dialog ref=${element} aria-labelledby="dialog-title" onClose=${onClose}>
    ${
      dialog &&
      html`
      <div class="head">
        <h2 id="dialog-title" tabindex="-1">${dialog.title}</h2>
        <form method="dialog"><button>Close</button></form>
      </div>
      ${dialog.content()}`
    }
  </dialog>`
}

/** @param {Site} site */
const App = ({ links, named, title, tools, views }) => {
  const [, redraw] = useReducer((/** @type {number} */ count) => count + 1, 0)
  onUpdate(() => redraw(undefined))
  const { connection, isPaused, now, query, status, view } = state
  filters.set(view, query)
  const View = views[view]
  const isGood = connection === "connected" && !isPaused
  return html`
    <a class="skip" href="#main">Skip to content</a>
    <header class="top">
      <h1>${title}</h1>
      <p class="live">
        <span id="connection" class=${isGood ? "good" : "bad"}>${isPaused && connection === "connected" ? "requests paused" : connection}</span>
        ${now && html`<time datetime=${now}>${now.slice(0, 10)} ${now.slice(11, 19)} UTC</time>`}
        ${tools?.()}
      </p>
      <nav aria-label="Views">
        ${named.map(
          (name) =>
            html`<a key=${name} href=${addressOf(name, Object.fromEntries(filters.get(name) ?? []))} aria-current=${name === view ? "page" : undefined}>${titleOf(name)}</a>`
        )}
        ${links?.()}
      </nav>
    </header>
    <p id="status" role="status" class=${status.tone}>${status.text}</p>
    <main id="main" tabindex="-1">
      <h2 id="title" tabindex="-1">${keyText(query.get("key") ?? titleOf(view))}</h2>
      <${View} key=${view} />
    </main>
    <${Dialog} />`
}

/** The element with the focus, and the parts of the page around it. @type {Array<Element>} */
let focused = []
document.addEventListener("focusin", ({ target }) => {
  focused = []
  for (let part = /** @type {Element | null} */ (target); part !== null; part = part.parentElement)
    focused.push(part)
})
// The focus is not lost with a control that is gone: it moves to the part of the page that had it.
new MutationObserver(() => {
  if (document.activeElement !== document.body || focused[0]?.isConnected !== false) return
  const part = focused.find((one) => one.isConnected && one.matches("[tabindex='-1']"))
  if (part instanceof HTMLElement) part.focus()
}).observe(document.body, { childList: true, subtree: true })

/** Draws a page, and follows its address. @param {Site} site */
export const start = (site) => {
  callWith(site.call)
  show(site, false)
  const root = document.getElementById("page")
  if (root !== null) render(html`<${App} ...${site} />`, root)
  window.addEventListener("hashchange", () => show(site, true))
}
