// A server that answers with precomputed bytes, and counts connections. The argument is the
// keep-alive timeout that it announces.
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import * as messages from "./messages.js"
import type { Served } from "./processes.js"
import { answer as answerMessages } from "./worker.js"

const keepAliveSeconds = Number(process.argv[2])

const answer = (status: string, body: string): Buffer =>
  Buffer.from(
    [
      `HTTP/1.1 ${status}`,
      "Date: Sat, 31 Jan 2026 12:00:00 GMT",
      "Content-Type: application/json",
      "Cache-Control: no-store",
      "Connection: keep-alive",
      `Keep-Alive: timeout=${keepAliveSeconds}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body
    ].join("\r\n")
  )

const routes = new Map(
  Object.entries(messages.answers).map(([route, { body, status }]) => [route, answer(status, body)])
)
const notFound = answer("404 Not Found", "{}")

/** The route of the first request and its size; `undefined` while it is incomplete. */
const firstIn = (bytes: Buffer): { readonly route: string; readonly size: number } | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const head = bytes.toString("latin1", 0, end)
  const [, length = "0"] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  const size = end + 4 + Number(length)
  return bytes.length < size ? undefined : { route: head.slice(0, head.indexOf(" HTTP/")), size }
}

let connections = 0
const serve = (socket: Socket): void => {
  connections++
  let bytes: Buffer = Buffer.alloc(0)
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    for (let request = firstIn(bytes); request !== undefined; request = firstIn(bytes)) {
      socket.write(routes.get(request.route) ?? notFound)
      bytes = bytes.subarray(request.size)
    }
  })
}

const server = createServer(serve).listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
if (address === null || typeof address === "string") throw new Error("no port")
const { port } = address
answerMessages((): Served => ({ port, connections }))
