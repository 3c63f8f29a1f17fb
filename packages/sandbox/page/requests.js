// The journal: live, filtered by key, with an explanation of what the requests with one key did.
import { call, curl } from "./api.js"
import {
  addressOf,
  announce,
  button,
  byId,
  closeDialog,
  copy,
  h,
  openDialog,
  remember,
  replace,
  resourceLink,
  valueOf
} from "./dom.js"

/** @typedef {typeof import("../src/ControlApi.js").Request.Encoded} Request */
/** @typedef {typeof import("../src/ControlApi.js").LiveRequests.Encoded} LiveRequests */
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

/** The key, or a part of it. */
const wantedKey = () => valueOf(form, "key").trim()

/** The keys that the filter selects. @type {ReadonlyArray<string>} */
let selectedKeys = []

/** The key that is exactly the wanted one, otherwise all that contain it in any case. */
const keysOfFilter = () => {
  const wanted = wantedKey()
  if (wanted === "") return []
  const keys = new Set([...requests.values()].flatMap(({ key }) => (key === null ? [] : [key])))
  if (keys.has(wanted)) return [wanted]
  return [...keys].filter((key) => key.toLowerCase().includes(wanted.toLowerCase()))
}

/** @param {Request} request */
const isSelected = ({ key, operation }) => {
  const named = valueOf(form, "operation")
  const hasKey = wantedKey() === "" || (key !== null && selectedKeys.includes(key))
  return hasKey && (named === "" || operation === named)
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

/** Shows the requests with this key, and moves the focus to their explanation. @param {string} key */
const select = (key) => {
  const address = addressOf("requests", { key })
  closeDialog()
  // The same address again is no change of it.
  if (location.hash === address) byId("explanation", HTMLElement).focus()
  else location.hash = address
}

/** Applies the filter of an address. @param {URLSearchParams} address */
export const show = (address) => {
  const key = form.elements.namedItem("key")
  const named = form.elements.namedItem("operation")
  const operation = address.get("operation") ?? ""
  if (key instanceof HTMLInputElement) key.value = address.get("key") ?? ""
  if (named instanceof HTMLSelectElement) {
    if (![...named.options].some(({ value }) => value === operation)) {
      named.append(h("option", { value: operation }, operation))
    }
    named.value = operation
  }
  filter()
}

/** Renders with another filter. */
const filter = () => {
  remember("requests", { key: wantedKey(), operation: valueOf(form, "operation") })
  render()
}

/** The end of one request, for a reader who does not know the sandbox. @param {Request} request */
const storyOf = ({ fault, method, outcome, reached_service, replay, status }) => {
  // A read makes nothing anyway.
  const nothing = method === "GET" ? "" : " Nothing was made."
  if (outcome === "open") return "is still in progress."
  if (outcome === "dropped before") {
    return `never reached the service: a fault closed the connection first.${nothing}`
  }
  if (!reached_service) {
    return `never reached the service: the fault “${fault}” answered ${status} in its place.${nothing}`
  }
  if (!replay && fault === null && status !== null && status >= 400) {
    return `was refused by the service with ${status}.${nothing}`
  }
  const done = replay
    ? "reached the service, which knew the key and made nothing new"
    : "reached the service, which processed it"
  switch (outcome) {
    case "dropped after":
      return `${done}. Then a fault closed the connection, so the caller got no answer.`
    case "abandoned":
      return `${done}, unless the caller left before. The caller got no answer.`
    default:
      if (fault !== null) {
        return `${done}. The fault “${fault}” changed or delayed the answer: ${status}.`
      }
      return replay
        ? `${done}. The caller got the first result again: ${status}.`
        : `${done}. The caller got the answer ${status}.`
  }
}

/** The request that made what its key made: the first one that the service processed. @param {ReadonlyArray<Request>} all */
const makerIn = (all) =>
  all.find(
    ({ reached_service, replay, status }) => reached_service && !replay && (status ?? 0) < 400
  )

/** @typedef {{ kind: string, reference: string, amount: string, money: string }} Made */

/**
 * The payer, for a payment or payout that was made once.
 *
 * @param {string} status
 * @param {string} person
 * @param {string} verb
 */
const moneyOf = (status, person, verb) => {
  if (status === "COMPLETED") return `The ${person} was ${verb} once.`
  if (status === "PENDING") return `The ${person} is not ${verb} yet.`
  return `The ${person} was not ${verb}.`
}

/**
 * The resources that one key made.
 *
 * @param {Resources} resources
 * @param {string} key
 * @returns {ReadonlyArray<Made>}
 */
const madeBy = ({ cards, payments, payouts }, key) => [
  ...payments
    .filter(({ idempotency_key }) => idempotency_key === key)
    .map(({ amount, currency, id, operation, reference, status }) => ({
      kind: "payment",
      reference: reference ?? id,
      amount: ` of ${amount} ${currency} (${status})`,
      // Other operations move no money in the sandbox.
      money: ["COLLECTION", "DEPOSIT"].includes(operation ?? "")
        ? moneyOf(status, "customer", "charged")
        : ""
    })),
  ...payouts
    .filter(({ idempotency_key }) => idempotency_key === key)
    .map(({ amount, currency, reference, status }) => ({
      kind: "payout",
      reference,
      amount: ` of ${amount} ${currency} (${status})`,
      money: moneyOf(status, "recipient", "paid")
    })),
  ...cards
    .filter(({ issuance_reference }) => issuance_reference === key)
    .map(({ id }) => ({ kind: "card", reference: id, amount: "", money: "" }))
]

/** @param {string} key */
const readMade = async (key) => {
  /** @type {Resources} */
  const resources = await call("GET", `/resources?key=${encodeURIComponent(key)}`)
  return madeBy(resources, key)
}

/** Links to what a key made. The links have the key, because it also finds old resources. @param {string} key @param {ReadonlyArray<Made>} made */
const linksTo = (key, made) =>
  made.flatMap(({ amount, kind, reference }, n) => [
    `${n === 0 ? "" : " and "}the ${kind} `,
    resourceLink(reference, { kind: `${kind}s`, find: key }),
    amount
  ])

/** Only the latest explanation is shown. */
let explanations = 0

/** The data of the explanation. */
let explained = ""

/** The text for which no key, but perhaps a reference, was found. */
let searched = ""

/** Replaces the explanation if its data changed. @param {unknown} data @param {() => ReadonlyArray<Node>} draw */
const showExplanation = (data, draw) => {
  const seen = JSON.stringify(data)
  if (seen === explained) return
  explained = seen
  replace(byId("explanation", HTMLElement), ...draw())
}

/** The resources with a reference, each with its key. @param {Resources} resources @param {string} reference */
const keysByReference = ({ payments, payouts }, reference) =>
  [...payments, ...payouts].flatMap((one) =>
    one.reference?.toLowerCase() === reference.toLowerCase() ? [one.idempotency_key] : []
  )

const explain = async () => {
  const wanted = wantedKey()
  const [key, ...others] = selectedKeys
  const current = ++explanations
  const isEmpty = wanted === "" || requests.size === 0
  if (isEmpty || key !== undefined) searched = ""
  if (isEmpty) return showExplanation("", () => [])
  if (key === undefined) {
    // Searched once, not again at each request that arrives.
    if (wanted === searched) return
    /** @type {Resources} */
    const resources = await call("GET", "/resources?limit=1000")
    if (current !== explanations) return
    const [made] = keysByReference(resources, wanted)
    searched = wanted
    return showExplanation([wanted, made], () => [noKey(wanted, made)])
  }
  if (others.length > 0) {
    return showExplanation([wanted, selectedKeys], () => [severalKeys(wanted, [key, ...others])])
  }
  const matching = [...requests.values()].filter((request) => request.key === key)
  const made = await readMade(key)
  if (current !== explanations) return
  const named = valueOf(form, "operation")
  const hidden = matching.filter((request) => !isSelected(request)).length
  showExplanation([made, matching, named], () => [why(key, matching, made, hidden)])
}

/** @param {string} wanted @param {string | undefined} key the key of the resource with this reference */
const noKey = (wanted, key) =>
  h(
    "div",
    { class: "note" },
    ...(key === undefined
      ? [
          h(
            "p",
            {},
            `No request has a key with “${wanted}”. The list has the newest ${kept} requests.`
          ),
          h("p", {}, resourceLink("Look for it in the resources", { find: wanted }))
        ]
      : [
          h("p", {}, `“${wanted}” is a reference. It was made with the key ${key}.`),
          h(
            "p",
            {},
            button(`Show the requests with the key ${key}`, () => select(key))
          )
        ])
  )

/** @param {string} wanted @param {ReadonlyArray<string>} keys */
const severalKeys = (wanted, keys) =>
  h(
    "div",
    { class: "note" },
    h("p", {}, `${keys.length} keys contain “${wanted}”. Choose one to see what its requests did:`),
    h(
      "ul",
      {},
      ...keys.slice(-10).map((key) =>
        h(
          "li",
          {},
          button(key, () => select(key), "link")
        )
      ),
      keys.length > 10 ? h("li", {}, `and ${keys.length - 10} older ones`) : ""
    )
  )

/**
 * The effect of the requests with one key.
 *
 * @param {string} key
 * @param {ReadonlyArray<Request>} matching
 * @param {ReadonlyArray<Made>} made
 * @param {number} hidden the number of requests that the table leaves out
 */
const why = (key, matching, made, hidden) => {
  const [first] = made
  // Two resources of one key were made by different requests.
  const only = made.length === 1 ? first : undefined
  const maker = only === undefined ? undefined : makerIn(matching)
  const times = matching.length === 1 ? "1 request" : `${matching.length} requests`
  const subject =
    maker !== undefined
      ? `Request #${maker.index} made `
      : matching.every(({ reached_service, replay }) => replay || !reached_service)
        ? "An earlier request made "
        : "Requests with this key made "
  const once =
    only === undefined
      ? ""
      : `${only.money === "" ? "" : ` ${only.money}`} A key names one operation, which the service does once, however often the caller sends it.`
  return h(
    "div",
    { class: `note ${first === undefined ? "" : "good"}` },
    h("h3", {}, `Why? ${times} with the key ${key}`),
    first === undefined
      ? h(
          "p",
          {},
          matching.some(({ outcome }) => outcome === "open")
            ? "Nothing was made yet."
            : "Nothing was made."
        )
      : h("p", {}, subject, ...linksTo(key, made), ".", once),
    h(
      "ol",
      {},
      ...matching.map((request) =>
        h(
          "li",
          {},
          button(`#${request.index}`, () => open(request), "link"),
          ` ${storyOf(request)}`,
          request === maker && only !== undefined
            ? h("strong", {}, ` This request made the ${only.kind}.`)
            : ""
        )
      )
    ),
    hidden === 0
      ? ""
      : h(
          "p",
          {},
          `The table below leaves out ${hidden} of them: it shows only ${valueOf(form, "operation")}.`
        )
  )
}

/** @param {Request} request */
const rowOf = (request) => h("tr", {}, ...cellsOf(request))

/** Explains again, because a payment also settles without a request. */
export const refresh = () => (selectedKeys.length === 1 ? explain() : Promise.resolve())

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
  selectedKeys = keysOfFilter()
  rows.clear()
  for (const request of [...requests.values()].filter(isSelected).slice(-shown)) {
    rows.set(request.index, rowOf(request))
  }
  if (body !== undefined) replace(body, ...[...rows.values()].reverse())
  renderCount()
  explainSoon()
}

/** Updates single rows, so that the focus stays where it is. @param {ReadonlyArray<Request>} changed */
const update = (changed) => {
  for (const request of changed) requests.set(request.index, request)
  for (const index of [...requests.keys()].slice(0, Math.max(0, requests.size - kept))) {
    requests.delete(index)
  }
  renderSuggestions()
  // A new key may be the wanted one.
  if (keysOfFilter().join("\n") !== selectedKeys.join("\n")) return render()
  for (const request of changed) {
    if (!isSelected(request)) continue
    const row = rows.get(request.index)
    if (row !== undefined) {
      replace(row, ...cellsOf(request))
      continue
    }
    const added = rowOf(request)
    rows.set(request.index, added)
    body?.prepend(added)
  }
  for (const [index, row] of [...rows].slice(0, Math.max(0, rows.size - shown))) {
    row.remove()
    rows.delete(index)
  }
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
    const { at, body, body_bytes, fault, key, method, operation, path, replay, took_ms } = request
    const made = key === null ? [] : await readMade(key)
    const isWhole = new TextEncoder().encode(body ?? "").length === body_bytes
    const line = curl(method, (await originOf(path)) + path, {
      token: operation !== "Token.obtain",
      key: operation === "Cards.issue" ? undefined : (key ?? undefined),
      body: body === null || body === "" ? undefined : body
    })
    /** @type {ReadonlyArray<readonly [string, ...Array<import("./dom.js").Child>]>} */
    const facts = [
      ["Time", at],
      ["Request", `${method} ${path}`],
      ["Operation", operation ?? "none"],
      ["Answer", answerOf(request)],
      ["Duration", took_ms === null ? "" : `${took_ms} ms`],
      ["Key", key ?? "none"],
      ...(key === null || made.length === 0
        ? []
        : [/** @type {const} */ (["Made with the key", ...linksTo(key, made)])]),
      ["Replay", replay ? "yes: the key was known, and nothing new was made" : "no"],
      ["Fault", fault ?? "none"],
      ...(body_bytes === 0 ? [/** @type {const} */ (["Request body", "none"])] : [])
    ]
    openDialog(
      `Request #${index}`,
      [
        h("p", {}, `This request ${storyOf(request)}`),
        h(
          "dl",
          {},
          ...facts.flatMap(([name, ...values]) => [h("dt", {}, name), h("dd", {}, ...values)])
        ),
        ...(body_bytes === 0
          ? []
          : [
              h("h3", {}, `Request body, ${body_bytes} bytes${isWhole ? "" : ", cut here"}`),
              h("pre", {}, pretty(body ?? ""))
            ]),
        h("h3", {}, "As curl"),
        h("pre", { class: "curl" }, line)
      ],
      [
        button("Copy as curl", () => copy(line)),
        ...(key === null ? [] : [button("Show the requests with this key", () => select(key))])
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
 * @param {{
 *   onChange: () => void,
 *   onConnection: (state: "connected" | "requests paused" | "not connected") => void
 * }} listeners
 */
export const follow = ({ onChange, onConnection }) => {
  /** @type {EventSource | undefined} */
  let source
  let isOpen = false
  const showConnection = () =>
    onConnection(!isOpen ? "not connected" : paused === undefined ? "connected" : "requests paused")
  /** @param {boolean} open */
  const setOpen = (open) => {
    isOpen = open
    showConnection()
  }
  const close = () => {
    source?.close()
    source = undefined
  }
  const connect = () => {
    const opened = new EventSource("/_sandbox/requests/stream")
    source = opened
    opened.addEventListener("open", () => setOpen(true))
    opened.addEventListener("error", () => setOpen(false))
    opened.addEventListener("requests", ({ data }) => {
      /** @type {LiveRequests} */
      const live = JSON.parse(data)
      unlessPaused(() => {
        if (live.reset) clear()
        update(live.requests)
      })
      onChange()
    })
    opened.addEventListener("error", () => {
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
  byId("pause", HTMLButtonElement).addEventListener("click", ({ currentTarget }) => {
    const waiting = paused
    paused = waiting === undefined ? [] : undefined
    if (currentTarget instanceof HTMLElement) {
      currentTarget.textContent = paused === undefined ? "Pause" : "Continue"
    }
    for (const change of waiting ?? []) change()
    showConnection()
  })
  connect()
}

const clear = () => {
  requests.clear()
  render()
}

form.addEventListener("input", filter)
form.addEventListener("submit", (event) => event.preventDefault())
form.addEventListener("reset", () => setTimeout(filter))
