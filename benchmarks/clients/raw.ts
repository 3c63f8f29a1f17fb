// The clients below every other: undici, and the global `fetch`.
import { Agent, request } from "undici"
import { exchanges, headersOf, type Operation, payment } from "../messages.js"
import { promises, type Open } from "./drive.js"

interface Request {
  readonly method: "GET" | "POST"
  readonly headers: Record<string, string>
  readonly body: string | null
}

type Send = (
  url: string,
  request: Request
) => Promise<{ readonly status: number; readonly text: () => Promise<string> }>

const over =
  (send: Send): Open =>
  (port) => {
    const callOf = (operation: Operation) => async () => {
      const { method, path, status } = exchanges[operation]
      const answered = await send(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: headersOf(operation),
        body: operation === "create" ? JSON.stringify(payment) : null
      })
      if (answered.status !== status) throw new Error(`status ${answered.status}`)
      return JSON.parse(await answered.text()).data
    }
    return Promise.resolve(promises({ create: callOf("create"), list: callOf("list") }))
  }

const dispatcher = new Agent()

export const undici = over(async (url, init) => {
  const { body, statusCode } = await request(url, { ...init, dispatcher })
  return { status: statusCode, text: () => body.text() }
})

const overFetch = over(async (url, init) => {
  const response = await fetch(url, init)
  return { status: response.status, text: () => response.text() }
})

export { overFetch as fetch }
