// A single-process server that responds with precomputed bytes. It sends its port to its parent
// process.
import { createServer, type Socket } from "node:net"
import * as messages from "./messages.js"

const answer = (status: string, body: string): Buffer =>
  Buffer.from(
    [
      `HTTP/1.1 ${status}`,
      "Server: bench",
      "Date: Sat, 31 Jan 2026 12:00:00 GMT",
      "Content-Type: application/json",
      "Cache-Control: no-store",
      "Connection: keep-alive",
      "Keep-Alive: timeout=120",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body
    ].join("\r\n")
  )

const routes = new Map<string, Buffer>([
  ["POST /api/v1/auth/application/token", answer("200 OK", messages.tokenAnswer)],
  ["POST /v1/payment_intents", answer("200 OK", messages.stripeAnswers.create)],
  ["GET /v1/payment_intents/pi_1IbfdjXKebbjk", answer("200 OK", messages.stripeAnswers.get)],
  [
    `GET /v1/balance_transactions?limit=${messages.rows}`,
    answer("200 OK", messages.stripeAnswers.list)
  ],
  ...messages.operations.map(
    (operation) =>
      [
        `${messages.methods[operation]} ${messages.paths[operation]}`,
        answer(operation === "create" ? "201 Created" : "200 OK", messages.answers[operation])
      ] as const
  )
])

const notFound = answer("404 Not Found", "{}")

const lengthHeader = /\r\ncontent-length: *(\d+)/i

/** The head and the total size of the first request; `undefined` while its head is incomplete. */
const measure = (bytes: Buffer): { readonly head: string; readonly size: number } | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const head = bytes.toString("latin1", 0, end)
  const [, length = "0"] = lengthHeader.exec(head) ?? []
  return { head, size: end + 4 + Number(length) }
}

const routeOf = (head: string): string => {
  const target = head.indexOf(" ", head.indexOf(" ") + 1)
  return head.slice(0, target)
}

const serve = (socket: Socket): void => {
  let pending: Buffer | undefined
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    let bytes = pending === undefined ? chunk : Buffer.concat([pending, chunk])
    pending = undefined
    while (bytes.length > 0) {
      const request = measure(bytes)
      if (request === undefined || bytes.length < request.size) {
        pending = bytes
        return
      }
      const route = routeOf(request.head)
      const found = routes.get(route)
      if (found === undefined) console.error(`No route for ${route}`)
      socket.write(found ?? notFound)
      bytes = bytes.subarray(request.size)
    }
  })
}

const server = createServer(serve)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  process.send?.({ port: address.port })
})
process.on("disconnect", () => process.exit(0))
