// A drawing of requests in their order: your code, the network and the service. Each request is a row with the
// arrows of the request and of its response. The playground of the documentation draws with it too, and so does the
// page of a runner of workflows.
import { html } from "./preact.js"

/** @typedef {import("preact").ComponentChild} Drawn */

/**
 * An end in words. Without a response it is no request, and has no arrows.
 *
 * @typedef {{ readonly answer: string, readonly effect: string, readonly tone: string }} Words
 */

/**
 * A request. Without a response it has no status, and ends when the connection is closed.
 *
 * @typedef {{
 *   readonly id: number,
 *   readonly key: string | null,
 *   readonly label: string,
 *   readonly startMillis: number,
 *   readonly arrivedMillis?: number | undefined,
 *   readonly endMillis: number | undefined,
 *   readonly status: number | "request lost" | "response lost" | "caller left" | Words | undefined,
 *   readonly isReplay: boolean,
 *   readonly reachedService: boolean,
 *   readonly pauseMillis?: number | undefined,
 *   readonly note?: string | undefined
 * }} Attempt `pauseMillis` is the pause before it, if it does not follow from the other requests
 */

/**
 * Draws requests, oldest first.
 *
 * @param {{
 *   readonly attempts: ReadonlyArray<Attempt>,
 *   readonly caller?: string | undefined,
 *   readonly label: string,
 *   readonly next?: Drawn,
 *   readonly nowMillis?: number | undefined,
 *   readonly onSelect?: ((id: number) => void) | undefined
 * }} properties `next` is what follows; `nowMillis` draws requests that are under way
 * @returns {Drawn}
 */
export const Drawing = ({
  attempts,
  caller = "Your code",
  label,
  next,
  nowMillis = Infinity,
  onSelect
}) => {
  const keys = [...new Set(attempts.flatMap(({ key }) => (key === null ? [] : [key])))]
  const start = attempts[0]?.startMillis ?? 0
  const lastEnd = Math.max(start, ...attempts.map(({ endMillis = Infinity }) => endMillis))
  const idle = nowMillis === Infinity ? 0 : nowMillis - lastEnd
  return html`<div class="drawing">
    <div class="lanes" aria-hidden="true">
      <span>${caller}</span><span>Network</span><span>The service</span>
    </div>
    <ol aria-label=${label}>
      ${attempts.map(
        (attempt, index) =>
          html`<${Row}
            key=${attempt.id}
            attempt=${attempt}
            number=${attempt.key === null ? -1 : keys.indexOf(attempt.key)}
            since=${attempt.startMillis - start}
            pause=${pauseBefore(attempt, attempts.slice(0, index))}
            nowMillis=${nowMillis}
            onSelect=${onSelect}
          />`
      )}
      ${idle > 0 && html`<li><p class="pause">pause of ${duration(idle)}</p></li>`}
      ${next && html`<li><p class="pause">${next}</p></li>`}
    </ol>
  </div>`
}

/**
 * The pause before a request that repeats a failed one, or reads again.
 *
 * @param {Attempt} attempt
 * @param {ReadonlyArray<Attempt>} earlier
 */
const pauseBefore = ({ key, label, pauseMillis, startMillis }, earlier) => {
  if (pauseMillis !== undefined) return pauseMillis
  const last = earlier.filter((one) => one.key === key && one.label === label).at(-1)
  if (last?.endMillis === undefined || startMillis < last.endMillis) return undefined
  return isRead(last) || !hasSucceeded(last) ? startMillis - last.endMillis : undefined
}

/** @param {Attempt} attempt */
const isRead = ({ label }) => label.startsWith("GET ")

/** @param {Attempt} attempt */
const hasSucceeded = ({ status }) =>
  typeof status === "object" ? status.tone !== "bad" : typeof status === "number" && status < 400

/**
 * @param {{
 *   readonly attempt: Attempt,
 *   readonly number: number,
 *   readonly since: number,
 *   readonly pause: number | undefined,
 *   readonly nowMillis: number,
 *   readonly onSelect: ((id: number) => void) | undefined
 * }} properties
 */
const Row = ({ attempt, nowMillis, number, onSelect, pause, since }) => {
  const { id, key, label, note, status } = attempt
  const effect = effectOf(attempt)
  const colour = key === null ? "" : `key-${number % 8}`
  return html`<li>
    ${
      pause !== undefined &&
      html`<p class=${`pause ${colour}`}>
        ${key !== null && html`<b>${letterOf(number)}</b> `}pause of ${duration(pause)}
      </p>`
    }
    <div class="row">
      <div class="caller">
        <span class="since">${duration(since)}</span>${" "}
        ${
          onSelect === undefined
            ? html`<strong>${breakable(label)}</strong>`
            : html`<button type="button" class="link" onClick=${() => onSelect(id)}>
                ${breakable(label)}
              </button>`
        }${" "}
        ${key !== null && html`<span class=${`key ${colour}`}><b>${letterOf(number)}</b> ${breakable(key)}</span>`}
      </div>
      ${isRequest(status) && html`<${Wire} attempt=${attempt} number=${number} nowMillis=${nowMillis} />`}
      <div class=${`called ${effect.tone}`}>${effect.text}</div>
    </div>
    ${note && html`<p class="since">${note}</p>`}
  </li>`
}

/** @param {Attempt["status"]} status */
const isRequest = (status) => typeof status !== "object" || status.answer !== ""

/**
 * The two arrows. One that is lost ends in the middle.
 *
 * @param {{ readonly attempt: Attempt, readonly number: number, readonly nowMillis: number }} properties
 */
const Wire = ({ attempt, nowMillis, number }) => {
  const { arrivedMillis, endMillis, reachedService, startMillis, status } = attempt
  const arrived = arrivedMillis ?? endMillis ?? Infinity
  const sent = progress(startMillis, arrived, nowMillis)
  const answered =
    endMillis === undefined && arrivedMillis === undefined
      ? 0
      : progress(arrived, endMillis ?? Infinity, nowMillis)
  const isLost = status === "request lost" && sent === 1
  const isResponseLost = (status === "response lost" || status === "caller left") && answered > 0
  const isAnswered = /number|object/.test(typeof status) && answered > 0
  // A request that never reached the service ends in front of it.
  const reach = status !== undefined && reachedService && !isLost ? 1 : 0.85
  return html`<div class="wire" role="img" aria-label=${answerOf(attempt) || "no response yet"}>
    <span
      class=${`arrow sent ${isLost ? "lost" : ""} ${number < 0 ? "" : `key-${number % 8}`}`}
      style=${{ width: `${100 * sent * reach}%` }}
    ></span>
    <span class=${`status ${toneOf(attempt)}`}
      >${answered === 1 || isLost ? answerOf(attempt) : ""}</span
    >
    ${
      (isAnswered || isResponseLost) &&
      html`<span
        class=${`arrow answered ${isResponseLost ? "lost" : ""} ${toneOf(attempt)}`}
        style=${{
          width: `${100 * answered * (isResponseLost ? 0.5 : reach)}%`,
          marginLeft: `${100 * (reach - answered * (isResponseLost ? 0.5 : reach))}%`
        }}
      ></span>`
    }
  </div>`
}

/**
 * From 0 to 1.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} now
 */
const progress = (from, to, now) => {
  if (now >= to) return 1
  return to === Infinity || now <= from ? 0 : (now - from) / (to - from)
}

/** @param {Attempt} attempt */
const answerOf = ({ status }) => {
  if (typeof status === "object") return status.answer
  return String(status ?? "")
}

/** @param {Attempt} attempt */
const toneOf = (attempt) => {
  if (attempt.status === undefined) return ""
  if (typeof attempt.status === "object") return attempt.status.tone
  return hasSucceeded(attempt) ? "good" : "bad"
}

/**
 * The act of the service, when the request has arrived.
 *
 * @param {Attempt} attempt
 * @returns {{ readonly text: string, readonly tone: string }}
 */
const effectOf = (attempt) => {
  const { isReplay, reachedService, status } = attempt
  if (status === undefined) return { text: "", tone: "" }
  if (typeof status === "object") return { text: status.effect, tone: status.tone }
  if (!reachedService || status === "request lost") return { text: "never saw it", tone: "bad" }
  if (isReplay) return { text: "knows the key: nothing new", tone: "" }
  if (typeof status === "number" && status >= 400 && status < 500)
    return { text: "refused it", tone: "bad" }
  return isRead(attempt) ? { text: "read it", tone: "" } : { text: "processed it", tone: "good" }
}

/** A text that breaks between its words, if it has to. @param {string} text */
export const breakable = (text) =>
  text.split(/(?=\/)|(?<=[:._])/).map((part) => html`${part}<wbr />`)

/** @param {number} number */
const letterOf = (number) => (number < 26 ? String.fromCharCode(65 + number) : String(number + 1))

/** @param {number} millis */
export const duration = (millis) => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(2)} s`
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor(millis / 1000) % 60} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
