// Elements are made from text only, so nothing that the sandbox received is read as HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an element. A property that starts with `on` is a listener, `class` and others are attributes.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Readonly<Record<string, string | number | boolean | undefined | (() => void)>>} [properties]
 * @param {ReadonlyArray<Child>} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export const h = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, "")
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    element.append(typeof child === "number" ? String(child) : child)
  }
  return element
}

/**
 * The element with this id, which is in the page.
 *
 * @template {HTMLElement} E
 * @param {string} id
 * @param {{ new (): E, prototype: E }} type
 * @returns {E}
 */
export const byId = (id, type) => {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`the page has no ${id}`)
}

/**
 * The text of a control of a form.
 *
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export const valueOf = (form, name) => {
  const control = form.elements.namedItem(name)
  return control instanceof HTMLInputElement ||
    control instanceof HTMLSelectElement ||
    control instanceof HTMLTextAreaElement
    ? control.value
    : ""
}

/**
 * @param {string} text
 * @param {() => void} onClick
 * @param {string} [className]
 */
export const button = (text, onClick, className) =>
  h("button", { type: "button", class: className, onclick: onClick }, text)

/**
 * A table. On narrow screens its rows are cards, where each cell shows the label of its column.
 *
 * @template Row
 * @param {string} caption
 * @param {ReadonlyArray<readonly [label: string, cell: (row: Row) => Child]>} columns
 * @param {ReadonlyArray<Row>} rows
 */
export const table = (caption, columns, rows) =>
  h(
    "table",
    {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...columns.map(([label]) => h("th", { scope: "col" }, label)))),
    h(
      "tbody",
      {},
      ...rows.map((row) =>
        h("tr", {}, ...columns.map(([label, cell]) => h("td", { "data-label": label }, cell(row))))
      )
    )
  )

/**
 * A link to a resource by its reference or key.
 *
 * @param {string} text
 * @param {Readonly<Record<string, string>>} shown
 */
export const resourceLink = (text, shown) => h("a", { href: addressOf("resources", shown) }, text)

/** @param {Element | null} element */
const nameOf = (element) => element?.getAttribute("aria-label") ?? element?.textContent ?? ""

/**
 * Replaces the content of an element. The focus stays on the control with the same name, or moves to the
 * element if that control is gone.
 *
 * @param {HTMLElement} target
 * @param {ReadonlyArray<Node>} children
 */
export const replace = (target, ...children) => {
  const focused = target.contains(document.activeElement) ? document.activeElement : null
  const name = nameOf(focused)
  target.replaceChildren(...children)
  if (focused === null) return
  /** @type {Array<HTMLElement>} */
  const controls = [...target.querySelectorAll("button, a")].filter(
    (one) => one instanceof HTMLElement
  )
  target.tabIndex = -1
  const same = controls.find((one) => nameOf(one) === name) ?? target
  same.focus()
}

/**
 * Shows a message, which screen readers announce.
 *
 * @param {string} message
 * @param {"good" | "bad"} [kind]
 */
export const announce = (message, kind = "good") => {
  const status = byId("status", HTMLElement)
  status.className = kind
  status.textContent = message
}

/**
 * Runs an action of the user, and shows its result or its error.
 *
 * @param {() => Promise<string>} action
 */
export const act = (action) => {
  action().then(announce, (/** @type {unknown} */ error) =>
    announce(error instanceof Error ? error.message : String(error), "bad")
  )
}

/**
 * Opens the dialog.
 *
 * @param {string} title
 * @param {ReadonlyArray<Node>} body
 * @param {ReadonlyArray<Node>} [actions]
 */
export const openDialog = (title, body, actions = []) => {
  const dialog = byId("dialog", HTMLDialogElement)
  const heading = byId("dialog-title", HTMLElement)
  heading.textContent = title
  byId("dialog-body", HTMLElement).replaceChildren(...body)
  byId("dialog-actions", HTMLElement).replaceChildren(...actions)
  if (!dialog.open) dialog.showModal()
  // Otherwise the focus goes to the first button, which is below the text.
  heading.focus()
}

/**
 * The address of a view with what it shows: `#requests?key=order-42`. Empty values are left out.
 *
 * @param {string} view
 * @param {Readonly<Record<string, string>>} shown
 */
export const addressOf = (view, shown) => {
  const given = Object.entries(shown).filter(([, value]) => value !== "")
  return given.length === 0 ? `#${view}` : `#${view}?${new URLSearchParams(given)}`
}

/**
 * Writes what a view shows into the address, and into the link of the view, which thus returns to it.
 *
 * @param {string} view
 * @param {Readonly<Record<string, string>>} shown
 */
export const remember = (view, shown) => {
  const address = addressOf(view, shown)
  document.querySelector(`nav a[data-view="${view}"]`)?.setAttribute("href", address)
  history.replaceState(null, "", address)
}

export const closeDialog = () => byId("dialog", HTMLDialogElement).close()

/**
 * Copies a command, and shows it where the browser does not permit copies.
 *
 * @param {string} text
 */
export const copy = (text) => {
  const show = () =>
    openDialog("Copy this command", [h("pre", { tabindex: 0, "aria-label": "Command" }, text)])
  // Browsers have a clipboard only for pages of this machine and of https.
  if (navigator.clipboard === undefined) return show()
  navigator.clipboard.writeText(text).then(() => {
    announce(`Copied: ${text}`)
  }, show)
}
