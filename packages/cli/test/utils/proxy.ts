/** A proxy on loopback, which opens tunnels. */
import * as Effect from "effect/Effect"
import { connect, createServer, type Socket } from "node:net"

/** A status with which it refuses each tunnel, an end of the connection, or the port to which each tunnel leads. */
export type Answer = number | "close" | "silence" | { readonly port: number }

export interface Proxy {
  /** Such as `127.0.0.1:3128`. */
  readonly host: string
  /** The head of each request. */
  readonly heads: ReadonlyArray<string>
}

const reply = (socket: Socket, answer: Answer): void => {
  if (answer === "close") return void socket.end()
  if (answer === "silence") return
  if (typeof answer === "number") return void socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`)
  const target = connect(answer.port, "127.0.0.1", () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
    socket.pipe(target).pipe(socket)
  })
  target.on("error", () => socket.destroy())
  socket.once("close", () => target.destroy())
}

/** Listens until the scope ends. */
export const make = (answer: Answer) =>
  Effect.gen(function* () {
    const heads: Array<string> = []
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.once("data", (head) => {
        heads.push(head.toString())
        reply(socket, answer)
      })
    })
    const host = yield* Effect.acquireRelease(
      Effect.async<string>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" ? address?.port : undefined
          resume(Effect.succeed(`127.0.0.1:${port}`))
        })
      }),
      () =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close()
        })
    )
    const proxy: Proxy = { host, heads }
    return proxy
  })
