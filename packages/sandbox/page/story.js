// Why a key made one payment: what each of its requests did, in sentences.
import { Drawing } from "./drawing.js"
import { kinds, moneyOf, nameIn, oneOf } from "./kinds.js"
import { html } from "./preact.js"
import { counted, keyText, linkButton, money, resourceLink } from "./parts.js"
import { useRead } from "./state.js"

/** @typedef {import("./state.js").Exchange} Exchange */
/** @typedef {import("./kinds.js").Resources} Resources */
/** @typedef {import("./kinds.js").Row} Row */
/** @typedef {{ kind: import("./kinds.js").Kind, reference: string, amount: string, money: string }} Made */

/** A status with the error of its response: `422 VALIDATION_FAILED`. @param {Exchange} request */
const answered = ({ error, status }) =>
  error === null ? String(status) : `${status} ${error.code}`

/** Whether the caller got no response, or one with an error. @param {Exchange} request */
export const isFailed = ({ ending, status }) => ending !== "open" && (status ?? 500) >= 400

/** The end of one request, for a reader who does not know the sandbox. @param {Exchange} request */
export const storyOf = (request) => {
  const { ending, error, fault, method, reached_service, replay, status } = request
  // A read makes nothing anyway.
  const nothing = method === "GET" ? "" : " Nothing was made."
  if (ending === "open") return "is still in progress."
  if (ending === "request lost") {
    return `never reached the service: a fault closed the connection first.${nothing}`
  }
  if (!reached_service) {
    return `never reached the service: the fault “${fault}” answered ${status} in its place.${nothing}`
  }
  if (!replay && fault === null && status !== null && status >= 400) {
    return `was refused by the service with ${answered(request)}.${nothing} ${error?.message ?? ""}`
  }
  const done = replay
    ? "reached the service, which knew the key and made nothing new"
    : "reached the service, which processed it"
  if (ending === "response lost") {
    return `${done}. Then a fault closed the connection, so the caller got no response.`
  }
  if (ending === "caller left") {
    return `${done}, unless the caller left before. The caller got no response.`
  }
  if (fault !== null) {
    return `${done}. The fault “${fault}” changed or delayed the response: ${answered(request)}.`
  }
  return replay
    ? `${done}. The caller got the first result again: ${answered(request)}.`
    : `${done}. The caller got the response ${answered(request)}.`
}

/**
 * The resources that one key made.
 *
 * @param {Resources} resources
 * @returns {ReadonlyArray<Made>}
 */
const madeIn = (resources) =>
  kinds.flatMap((kind) => {
    /** @type {ReadonlyArray<Row>} */
    const rows = resources[kind]
    return rows.map((row) => {
      const { amount, currency, status } = row
      const value = amount ? ` of ${money(amount)} ${currency ?? ""}`.trimEnd() : ""
      return {
        kind,
        reference: nameIn(row),
        amount: `${value}${status ? ` (${status})` : ""}`,
        money: moneyOf(kind, row)
      }
    })
  })

/** The resource of a key; `undefined` until it is known. @param {string | null | undefined} key */
export const useMade = (key) => {
  const path = typeof key === "string" ? `/resources?key=${encodeURIComponent(key)}` : undefined
  /** @type {Resources | undefined} */
  const resources = useRead(path)
  return resources && madeIn(resources)
}

/** Links to what a key made. They have the key, because it also finds old resources. @param {string} key @param {ReadonlyArray<Made>} made */
export const linksTo = (key, made) =>
  made.map(
    ({ amount, kind, reference }, n) =>
      html`${n === 0 ? "" : " and "}the ${oneOf(kind)} ${resourceLink(reference, { kind, find: key })}${amount}`
  )

/** The first request of a key that the service processed: it made the resource. @param {ReadonlyArray<Exchange>} all */
const makerIn = (all) =>
  all.find(
    ({ reached_service, replay, status }) => reached_service && !replay && (status ?? 0) < 400
  )

/** @param {ReadonlyArray<Exchange>} requests @param {Exchange | undefined} maker */
const subjectOf = (requests, maker) => {
  if (maker !== undefined) return `Request #${maker.index} made `
  return requests.every(({ reached_service, replay }) => replay || !reached_service)
    ? "An earlier request made "
    : "Requests with this key made "
}

/** A request as the drawing shows it. @param {Exchange} request @returns {import("./drawing.js").Attempt} */
const attemptOf = ({
  at,
  ending,
  index,
  key,
  method,
  path,
  reached_service,
  replay,
  status,
  took_ms
}) => ({
  id: index,
  key,
  label: `${method} ${path.replace("/api/v1", "")}`,
  startMillis: Date.parse(at),
  endMillis: took_ms === null ? undefined : Date.parse(at) + took_ms,
  status: ending === "open" ? undefined : ending === "answered" ? (status ?? undefined) : ending,
  isReplay: replay,
  reachedService: reached_service
})

/**
 * The effect of the requests with one key.
 *
 * @param {{
 *   name: string, requests: ReadonlyArray<Exchange>, hidden: string, onOpen: (request: Exchange) => void
 * }} props `hidden` says what the table leaves out
 */
export const Why = ({ hidden, name, onOpen, requests }) => {
  const made = useMade(name)
  if (made === undefined) return null
  const [first] = made
  // Two resources of one key were made by different requests.
  const only = made.length === 1 ? first : undefined
  const maker = only && makerIn(requests)
  const isOpen = requests.some(({ ending }) => ending === "open")
  return html`<div class="note ${first ? "good" : ""}">
    <h3>Why? ${counted(requests.length, "request")} with the key ${keyText(name)}</h3>
    <p>
      ${first ? html`${subjectOf(requests, maker)}${linksTo(name, made)}.` : isOpen ? "Nothing was made yet." : "Nothing was made."}
      ${only && ` ${only.money} A key names one operation, which the service does once, however often the caller sends it.`}
    </p>
    <${Drawing} label="The requests in their order" attempts=${requests.map(attemptOf)}
      onSelect=${(/** @type {number} */ index) => requests.filter((one) => one.index === index).forEach(onOpen)} />
    <ol>${requests.map(
      (request) => html`<li key=${request.index}>
        ${linkButton(`#${request.index}`, () => onOpen(request))} ${storyOf(request)}
        ${request === maker && html` <strong>This request made the ${only && oneOf(only.kind)}.</strong>`}
      </li>`
    )}</ol>
    ${hidden && html`<p>${hidden}</p>`}
  </div>`
}
