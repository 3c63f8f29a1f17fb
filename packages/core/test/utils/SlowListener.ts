/**
 * A server whose TCP handshake takes about a second: a process with a full queue of connections, which it accepts
 * again after 700 ms. The system of the client repeats a lost handshake after a second.
 */
import * as Effect from "effect/Effect"
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("./slowListener.mjs", import.meta.url))

const start = async (): Promise<{ child: ChildProcess; port: number }> => {
  const child = fork(program, { execArgv: [] })
  const [port] = await once(child, "message")
  return { child, port: Number(port) }
}

/** Fills the queue of a server that accepts no connection, until a further one gets no handshake. */
const fill = async (port: number): Promise<ReadonlyArray<Socket>> => {
  const sockets: Array<Socket> = []
  while (sockets.length < 20) {
    const socket = connect(port, "127.0.0.1").on("error", () => {})
    sockets.push(socket)
    const isConnected = await Promise.race([
      once(socket, "connect").then(() => true),
      new Promise<false>((resolve) => setTimeout(resolve, 100, false))
    ])
    if (!isConnected) break
  }
  return sockets
}

/** Returns the port of a server whose next handshake is slow. */
export const listen = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { child, port } = await start()
      child.send("block")
      await once(child, "message")
      return { child, port, sockets: await fill(port) }
    }),
    ({ child, sockets }) =>
      Effect.sync(() => {
        sockets.forEach((socket) => socket.destroy())
        child.kill("SIGKILL")
      })
  ),
  ({ port }) => port
)
