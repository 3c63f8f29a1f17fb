// The state of the whole page, and the ways in which views read and change what is served.
import { useEffect, useState } from "./preact.js"

/** @typedef {typeof import("../src/ControlApi.js").Exchange.Encoded} Exchange */
/** @typedef {"good" | "bad"} Tone */
/** @typedef {<A>(method: string, path: string) => Promise<A>} Call */
/** @typedef {{ title: string, content: () => import("preact").VNode }} Dialog */

export const state = {
  view: "",
  /** The filter of the view, which is in the address. */
  query: new URLSearchParams(),
  /** The newest requests by index, in order of arrival. @type {Map<number, Exchange>} */
  requests: new Map(),
  connection: "connecting",
  isPaused: false,
  /** The sandbox's time, once it is known. */
  now: "",
  /** Whether that is another time than this machine's. */
  isMoved: false,
  /** Grows when something in the sandbox may have changed. */
  changes: 0,
  status: { text: "", tone: /** @type {Tone} */ ("good") },
  /** @type {Dialog | undefined} */
  dialog: undefined
}

let draw = () => {}

/** @param {() => void} listener */
export const onUpdate = (listener) => {
  draw = listener
}

/** @param {Partial<typeof state>} changed */
export const update = (changed) => {
  Object.assign(state, changed)
  draw()
}

/** Reads everything again that the view shows. */
export const refresh = () => update({ changes: state.changes + 1 })

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error))

/** Shows a message, which screen readers announce. @param {string} text @param {Tone} [tone] */
export const announce = (text, tone = "good") => update({ status: { text, tone } })

/** @type {Call} */
let call = () => Promise.reject(new Error("The page has not started."))

/** @param {Call} given calls the server of the page */
export const callWith = (given) => {
  call = given
}

/** The message of a read that failed. It is announced once, and goes when reads succeed again. */
let failure = ""

/** @param {string} message */
const setFailure = (message) => {
  if (message !== failure) announce(message, "bad")
  failure = message
}

/** Removes a message, which is about the view where it appeared. */
export const clearStatus = () => {
  if (failure === "") announce("")
}

/**
 * The response of a read of the server, again after each change. It is `undefined` until it is there, and without
 * a path.
 *
 * @template A
 * @param {string | undefined} path
 * @returns {A | undefined}
 */
export const useRead = (path) => {
  const [read, setRead] = useState(
    /** @type {{ path: string, answer: A } | undefined} */ (undefined)
  )
  useEffect(() => {
    if (path === undefined) return
    call("GET", path).then(
      (/** @type {A} */ answer) => {
        setRead({ path, answer })
        if (failure !== "") setFailure("")
      },
      (error) => setFailure(messageOf(error))
    )
  }, [path, state.changes])
  return read?.path === path ? read?.answer : undefined
}

/** Runs an action of the reader, and shows its result or its error. @param {() => Promise<string>} action */
export const act = async (action) => {
  try {
    const done = await action()
    refresh()
    announce(done)
  } catch (error) {
    announce(messageOf(error), "bad")
  }
}

/**
 * The address of a view with its filter: `#requests?find=order-42`. Empty values are left out.
 *
 * @param {string} view
 * @param {Readonly<Record<string, string>>} [query]
 */
export const addressOf = (view, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== "")
  return given.length === 0 ? `#${view}` : `#${view}?${new URLSearchParams(given)}`
}

/** Changes the filter of the view and its address. @param {Readonly<Record<string, string>>} changed */
export const filter = (changed) => {
  const query = { ...Object.fromEntries(state.query), ...changed }
  history.replaceState(null, "", addressOf(state.view, query))
  update({ query: new URLSearchParams(Object.entries(query)) })
}

/** @param {string} title @param {() => import("preact").VNode} content */
export const openDialog = (title, content) => update({ dialog: { title, content } })
