// A server that reads a whole POST, and closes its connection before the response. It counts the POST requests.
import * as Effect from "effect/Effect"
import { createServer, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { json } from "node:stream/consumers"

/** How it closes, by the description in the request. */
const ways: Readonly<Record<string, (socket: Socket) => void>> = {
  close: (socket) => socket.end(),
  reset: (socket) => socket.resetAndDestroy(),
  "half a status line": (socket) => void socket.write("HTTP/1.1 20", () => socket.destroy())
}

const token = { access_token: "token", expires_in: 3600, token_type: "Bearer", scope: "" }
const page = { current_page: 1, data: [], per_page: 15, total: 0 }

/** Starts the server, which ends with the scope. */
export const closingServer = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly posts: Array<string>; readonly server: Server }>(
    (resume) => {
      const posts: Array<string> = []
      const server = createServer((request, response) => {
        const answer = (data: unknown) => response.end(JSON.stringify({ success: true, data }))
        response.setHeader("content-type", "application/json")
        if (request.method === "GET") return void answer(page)
        void json(request).then((body) => {
          const description = String(Object(body).description)
          const { [description]: close } = ways
          if (close === undefined) return answer({ ...token, environment: "SANDBOX" })
          posts.push(`${request.url}: ${description}`)
          return close(request.socket)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/api/v1`, posts, server }))
      })
    }
  ),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)
