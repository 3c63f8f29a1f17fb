/** A TCP proxy before a server, whose connections can fall silent without being closed. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { connect, createServer, type Socket } from "node:net"
import { listen } from "./listen.js"

export interface Proxy {
  readonly port: number
  /** From now on, the connections that exist pass nothing on. */
  readonly silence: Effect.Effect<void>
  /** Whether new connections are passed on. They are accepted in any case. */
  readonly pass: (isPassed: boolean) => Effect.Effect<void>
}

export const make = (to: { readonly host: string; readonly port: number }) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let isPassing = true
    const server = createServer((incoming) => {
      sockets.add(incoming)
      incoming.on("error", () => incoming.destroy())
      if (!isPassing) return
      const outgoing = connect(to.port, to.host)
      sockets.add(outgoing)
      outgoing.on("error", () => incoming.destroy())
      incoming.pipe(outgoing).pipe(incoming)
    })
    const port = yield* listen(server, () => {
      for (const socket of sockets) socket.destroy()
    })
    const proxy: Proxy = {
      port,
      silence: Effect.sync(() => {
        for (const socket of sockets) socket.unpipe().pause()
      }),
      pass: (is) =>
        Effect.sync(() => {
          isPassing = is
        })
    }
    return proxy
  }) satisfies Effect.Effect<Proxy, never, Scope.Scope>
