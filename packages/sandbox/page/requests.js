// The journal: live, filtered by key, with an explanation of what the requests with one key did.
import { call, curl } from "./api.js"
import { announce, button, byId, copy, h, openDialog, replace, valueOf } from "./dom.js"

/** @typedef {typeof import("../src/ControlApi.js").Request.Encoded} Request */
/** @typedef {typeof import("../src/ControlApi.js").Resources.Encoded} Resources */
/** @typedef {typeof import("../src/ControlApi.js").Credentials.Encoded} Credentials */

const kept = 1000
const shown = 200

/** By index, in order of arrival. @type {Map<number, Request>} */
const requests = new Map()

/** The visible rows by index. @type {Map<number, HTMLTableRowElement>} */
const rows = new Map()

/** Changes while the list is paused. @type {Array<() => void> | undefined} */
let paused

const form = byId("filter", HTMLFormElement)
const journal = byId("journal", HTMLTableElement)
const [body] = journal.tBodies

/** @param {Request} request */
const isSelected = ({ key, operation }) => {
  const wanted = valueOf(form, "key")
  const named = valueOf(form, "operation")
  return (wanted === "" || (key ?? "").includes(wanted)) && (named === "" || operation === named)
}

/** @param {Request} request */
const answerOf = ({ outcome, status }) => (outcome === "answered" ? String(status) : outcome)

/** @param {Request} request */
const toneOf = ({ outcome, status }) => {
  if (outcome === "open") return ""
  if (outcome !== "answered") return "bad"
  return (status ?? 0) < 400 ? "good" : "bad"
}

/** @param {string} timestamp */
const timeOf = (timestamp) => timestamp.slice(11, 23)

/** @param {Request} request */
const cellsOf = (request) => {
  const { at, fault, index, key, method, operation, path, replay, took_ms } = request
  /** @type {(label: string, ...children: Array<import("./dom.js").Child>) => HTMLElement} */
  const cell = (label, ...children) => h("td", { "data-label": label }, ...children)
  return [
    cell(
      "Request",
      button(`#${index} ${timeOf(at)}`, () => open(request), "link")
    ),
    cell(
      "Operation",
      h("span", {}, h("span", { class: "method" }, method), " ", operation ?? path)
    ),
    cell("Answer", h("strong", { class: toneOf(request) }, answerOf(request))),
    cell("Duration", took_ms === null ? "" : `${took_ms} ms`),
    replay ? cell("Replay", h("span", { class: "odd" }, "replay")) : h("td"),
    fault === null ? h("td") : cell("Fault", h("span", { class: "bad" }, fault)),
    key === null
      ? h("td")
      : cell(
          "Key",
          button(key, () => select(key), "link")
        )
  ]
}

/** @param {string} key */
const select = (key) => {
  const input = form.elements.namedItem("key")
  if (input instanceof HTMLInputElement) input.value = key
  render()
  announce(`Showing the requests with the key ${key}.`)
}

/** The end of one request, for a reader who does not know the sandbox. @param {Request} request */
const storyOf = ({ fault, outcome, reached_service, replay, status }) => {
  if (outcome === "open") return "is still in progress."
  if (outcome === "dropped before") {
    return "never reached the service: a fault closed the connection first. Nothing was made."
  }
  if (!reached_service) {
    return `never reached the service: the fault “${fault}” answered ${status} in its place. Nothing was made.`
  }
  if (!replay && fault === null && status !== null && status >= 400) {
    return `was refused by the service with ${status}. Nothing was made.`
  }
  const done = replay
    ? "reached the service, which knew the key. It made nothing new, and returned the first result again"
    : "reached the service, which processed it"
  switch (outcome) {
    case "dropped after":
      return `${done}. Then a fault closed the connection, so the caller got no answer.`
    case "abandoned":
      return `${done}, unless the caller left before. The caller got no answer.`
    default:
      return fault === null
        ? `${done}: ${status}.`
        : `${done}. The fault “${fault}” changed or delayed the answer: ${status}.`
  }
}

/** The request that made what its key made: the first one that the service processed. @param {ReadonlyArray<Request>} all */
const makerIn = (all) =>
  all.find(
    ({ reached_service, replay, status }) => reached_service && !replay && (status ?? 0) < 400
  )

/**
 * The resources that one key made.
 *
 * @param {Resources} resources
 * @param {string} key
 */
const madeBy = ({ cards, payments, payouts }, key) => [
  ...payments
    .filter(({ idempotency_key }) => idempotency_key === key)
    .map((one) => `the payment ${one.reference} of ${one.amount} ${one.currency} (${one.status})`),
  ...payouts
    .filter(({ idempotency_key }) => idempotency_key === key)
    .map((one) => `the payout ${one.reference} of ${one.amount} ${one.currency} (${one.status})`),
  ...cards
    .filter(({ issuance_reference }) => issuance_reference === key)
    .map(({ id }) => `the card ${id}`)
]

/** Only the latest explanation is shown. */
let explanations = 0

/** The data of the explanation. */
let explained = ""

const explain = async () => {
  const target = byId("explanation", HTMLElement)
  const key = valueOf(form, "key")
  const matching = [...requests.values()].filter((request) => request.key === key)
  const current = ++explanations
  if (key === "" || matching.length === 0) {
    explained = ""
    return target.replaceChildren()
  }
  /** @type {Resources} */
  const resources = await call("GET", `/resources?key=${encodeURIComponent(key)}`)
  if (current !== explanations) return
  const made = madeBy(resources, key)
  const maker = made.length === 0 ? undefined : makerIn(matching)
  const times = matching.length === 1 ? "1 request" : `${matching.length} requests`
  const result =
    made.length === 0
      ? "Nothing was made."
      : matching.every(({ replay }) => replay)
        ? `An earlier request made ${made.join(" and ")}.`
        : matching.length === 1
          ? `It made ${made.join(" and ")}.`
          : `Together they made ${made.join(" and ")}, once. A key names one operation, so the service does it once, however often it is sent.`
  const seen = JSON.stringify([made, matching])
  if (seen === explained) return
  explained = seen
  replace(
    target,
    h(
      "div",
      { class: `note ${made.length === 0 ? "" : "good"}` },
      h("h3", {}, `Why? ${times} with the key ${key}`),
      h("p", {}, result),
      h(
        "ol",
        {},
        ...matching.map((request) =>
          h(
            "li",
            {},
            button(`#${request.index}`, () => open(request), "link"),
            ` ${storyOf(request)}`,
            request === maker ? h("strong", {}, " This request made it.") : ""
          )
        )
      )
    )
  )
}

/** @param {Request} request */
const rowOf = (request) => h("tr", {}, ...cellsOf(request))

const renderCount = () => {
  const selected = [...requests.values()].filter(isSelected).length
  const of = selected === requests.size ? "" : ` of ${requests.size}`
  const newest = selected > shown ? `, the newest ${shown} shown` : ""
  byId("count", HTMLElement).textContent = `${selected}${of} requests${newest}`
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon

const explainSoon = () => {
  soon ??= setTimeout(() => {
    soon = undefined
    explain().catch(() => {})
  }, 200)
}

/** Renders all rows again. */
const render = () => {
  rows.clear()
  for (const request of [...requests.values()].filter(isSelected).slice(-shown)) {
    rows.set(request.index, rowOf(request))
  }
  body?.replaceChildren(...[...rows.values()].reverse())
  renderCount()
  explainSoon()
}

/** Updates single rows, so that the focus stays where it is. @param {ReadonlyArray<Request>} changed */
const update = (changed) => {
  for (const request of changed) {
    requests.set(request.index, request)
    if (!isSelected(request)) continue
    const row = rows.get(request.index)
    if (row !== undefined) {
      row.replaceChildren(...cellsOf(request))
      continue
    }
    const added = rowOf(request)
    rows.set(request.index, added)
    body?.prepend(added)
  }
  for (const index of [...requests.keys()].slice(0, Math.max(0, requests.size - kept))) {
    requests.delete(index)
  }
  for (const [index, row] of [...rows].slice(0, Math.max(0, rows.size - shown))) {
    row.remove()
    rows.delete(index)
  }
  renderSuggestions()
  renderCount()
  explainSoon()
}

const renderSuggestions = () => {
  const keys = new Set([...requests.values()].flatMap(({ key }) => (key === null ? [] : [key])))
  byId("keys", HTMLDataListElement).replaceChildren(
    ...[...keys].slice(-100).map((value) => h("option", { value }))
  )
  const select = form.elements.namedItem("operation")
  if (!(select instanceof HTMLSelectElement)) return
  const known = new Set([...select.options].map(({ value }) => value))
  for (const { operation } of requests.values()) {
    if (operation === null || known.has(operation)) continue
    known.add(operation)
    select.append(h("option", { value: operation }, operation))
  }
}

/** @param {string} path */
const originOf = async (path) => {
  /** @type {Credentials} */
  const { auth_url } = await call("GET", "/credentials")
  return path.startsWith("/api/v1/auth/") ? new URL(auth_url).origin : location.origin
}

/** Shows a request with its body. @param {Request} listed */
const open = async ({ index }) => {
  try {
    /** @type {Request} */
    const request = await call("GET", `/requests/${index}`)
    const { at, body, body_bytes, fault, key, method, operation, path, took_ms } = request
    const isWhole = new TextEncoder().encode(body ?? "").length === body_bytes
    const line = curl(method, (await originOf(path)) + path, {
      token: operation !== "Token.obtain",
      key: operation === "Cards.issue" ? undefined : (key ?? undefined),
      body: body === null || body === "" ? undefined : body
    })
    /** @type {ReadonlyArray<readonly [string, string]>} */
    const facts = [
      ["Time", at],
      ["Request", `${method} ${path}`],
      ["Operation", operation ?? "none"],
      ["Answer", answerOf(request)],
      ["Duration", took_ms === null ? "" : `${took_ms} ms`],
      ["Key", key ?? "none"],
      ["Fault", fault ?? "none"]
    ]
    openDialog(
      `Request #${index}`,
      [
        h("p", {}, `This request ${storyOf(request)}`),
        h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
        h("h3", {}, `Body, ${body_bytes} bytes${isWhole ? "" : ", cut here"}`),
        h("pre", {}, pretty(body ?? "")),
        h("h3", {}, "As curl"),
        h("pre", { class: "curl" }, line)
      ],
      [
        button("Copy as curl", () => copy(line)),
        ...(key === null
          ? []
          : [
              button("Show the requests with this key", () => {
                byId("dialog", HTMLDialogElement).close()
                select(key)
              })
            ])
      ]
    )
  } catch (error) {
    announce(error instanceof Error ? error.message : String(error), "bad")
  }
}

/** @param {string} text */
const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** @param {() => void} change */
const unlessPaused = (change) => {
  if (paused === undefined) change()
  else if (paused.push(change) > kept) paused.shift()
}

/**
 * Follows the requests while the page is visible.
 *
 * @param {{ onChange: () => void, onConnection: (isOpen: boolean) => void }} listeners
 */
export const follow = ({ onChange, onConnection }) => {
  /** @type {EventSource | undefined} */
  let source
  const close = () => {
    source?.close()
    source = undefined
  }
  const connect = () => {
    const opened = new EventSource("/_sandbox/requests/stream")
    source = opened
    opened.addEventListener("open", () => onConnection(true))
    opened.addEventListener("error", () => onConnection(false))
    let isFirst = true
    opened.addEventListener("requests", ({ data }) => {
      /** @type {ReadonlyArray<Request>} */
      const changed = JSON.parse(data)
      const restarts = isFirst
      isFirst = false
      unlessPaused(() => {
        // The first event after a connection has everything, also after the sandbox was restarted.
        if (restarts) clear()
        update(changed)
      })
      onChange()
    })
    opened.addEventListener("reset", () => unlessPaused(clear))
    opened.addEventListener("error", () => {
      isFirst = true
      // The browser connects again by itself, except after an answer with an error.
      if (opened.readyState === EventSource.CLOSED && source === opened) {
        source = undefined
        setTimeout(resume, 3000)
      }
    })
  }
  const resume = () => {
    if (!document.hidden && source === undefined) connect()
  }
  // A browser has few connections per site, so hidden pages do not hold one.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close()
    else resume()
  })
  connect()
}

const clear = () => {
  requests.clear()
  render()
}

form.addEventListener("input", render)
form.addEventListener("submit", (event) => event.preventDefault())
form.addEventListener("reset", () => setTimeout(render))
byId("pause", HTMLButtonElement).addEventListener("click", ({ currentTarget }) => {
  const waiting = paused
  paused = waiting === undefined ? [] : undefined
  if (currentTarget instanceof HTMLElement) {
    currentTarget.setAttribute("aria-pressed", String(paused !== undefined))
  }
  for (const change of waiting ?? []) change()
})
