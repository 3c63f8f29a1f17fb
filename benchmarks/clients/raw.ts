// The clients below every other: undici, and the global `fetch`.
import { Agent, request } from "undici"
import { headersOf, methods, payment, paths, statuses } from "../messages.js"
import { expectStatus, forEach, promises, type Open } from "./drive.js"

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
  (port) =>
    Promise.resolve(
      promises(
        forEach((operation) => async () => {
          const { status, text } = await send(`http://127.0.0.1:${port}${paths[operation]}`, {
            method: methods[operation],
            headers: headersOf(operation),
            body: operation === "create" ? JSON.stringify(payment) : null
          })
          expectStatus(statuses[operation], status)
          return JSON.parse(await text()).data
        })
      )
    )

const dispatcher = new Agent()

export const overUndici = over(async (url, init) => {
  const { body, statusCode } = await request(url, { ...init, dispatcher })
  return { status: statusCode, text: () => body.text() }
})

export const overFetch = over(async (url, init) => {
  const response = await fetch(url, init)
  return { status: response.status, text: () => response.text() }
})
