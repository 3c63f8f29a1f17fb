// A server that blocks for a while on request, with a queue of one connection.
import { createServer } from "node:http"

const body = JSON.stringify({ success: true, data: { id: "thing-1", status: "PENDING" } })
const server = createServer((_, response) => response.end(body))

server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => process.send(server.address().port))

process.on("message", () => {
  process.send("blocked", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500))
})
