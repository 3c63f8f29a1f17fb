import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Server } from "node:net"

/** Listens on a loopback port, by default a free one, until the scope closes, and returns the port. */
export const listen = (
  server: Server,
  closeConnections: () => void,
  port = 0
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0))
      })
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        closeConnections()
      })
  )
