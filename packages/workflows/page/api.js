// The operations of the runner, for a reader who has its token. It is kept in this tab only, and never in an address.
import { update } from "../../sandbox/page/state.js"

const item = "token of the runner"

export const hasToken = () => sessionStorage.getItem(item) !== null

/** @param {string} token */
export const enter = (token) => sessionStorage.setItem(item, token)

export const forget = () => {
  sessionStorage.removeItem(item)
  update({ connection: "locked", dialog: undefined })
}

/** Calls under way, and how long the last one took. */
const calls = { open: 0, millis: 0 }

/** Sends a request, and reads its answer. @param {string} method @param {string} path */
const send = async (method, path) => {
  const authorization = `Bearer ${sessionStorage.getItem(item)}`
  const signal = AbortSignal.timeout(30_000)
  const response = await fetch(`workflows/${path}`, { method, headers: { authorization }, signal })
  return { response, text: await response.text() }
}

/**
 * Calls an operation, which answers a line of JSON for each row. They are an array here.
 *
 * @template A
 * @param {string} method
 * @param {string} path
 * @returns {Promise<A>}
 */
export const call = async (method, path) => {
  const start = performance.now()
  calls.open++
  try {
    const { response, text } = await send(method, path).catch(() => {
      update({ connection: "not connected" })
      throw new Error("The runner does not respond. Is it still running?")
    })
    if (response.status === 401) {
      forget()
      throw new Error("The runner refused this token. Its program names the right one.")
    }
    update({ connection: "connected" })
    if (!response.ok) throw new Error(text)
    return JSON.parse(`[${text.trim().replaceAll("\n", ",")}]`)
  } finally {
    calls.open--
    calls.millis = performance.now() - start
  }
}

/** Reads again while the page is visible, at most every 3 seconds. A slow database is asked less often. @param {() => void} read */
export const follow = (read) => {
  const next = () => {
    if (!document.hidden && hasToken() && calls.open === 0) read()
    follow(read)
  }
  setTimeout(next, Math.max(3_000, 10 * calls.millis))
}
