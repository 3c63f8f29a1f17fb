/**
 * Locks of this machine. A lock is an address of the operating system on which its owner listens, so that it
 * ends with its process, however that ends. No process id is kept, which another process could get.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import type { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The address of a lock with this name, on this platform. */
export const addressOf = (name: string): string => {
  switch (process.platform) {
    case "linux":
      return `\0${name}`
    case "win32":
      return `\\\\.\\pipe\\${name}`
    default:
      return join(tmpdir(), `${name}.sock`)
  }
}

/** Takes the lock of an address, or fails with why not: its `code` is `EADDRINUSE` if it is taken. */
export const take = (address: string): Effect.Effect<void, NodeJS.ErrnoException, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.catchIf(listen(address), isTaken, (taken) =>
      Effect.gen(function* () {
        if (!(yield* isLeft(address))) return yield* Effect.fail(taken)
        yield* Effect.mapError(
          Effect.try(() => rmSync(address, { force: true })),
          () => taken
        )
        return yield* listen(address)
      })
    ),
    (server) => Effect.sync(() => server.close())
  )

const isTaken = ({ code }: NodeJS.ErrnoException): boolean => code === "EADDRINUSE"

const listen = (address: string): Effect.Effect<Server, NodeJS.ErrnoException> =>
  Effect.async((resume) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", (cause) => resume(Effect.fail(cause)))
    server.listen(address, () => resume(Effect.succeed(server.unref())))
  })

/**
 * Whether the owner of an address was killed. On macOS, its file is left then. Two processes that find the file
 * in the same moment can both take the lock.
 */
const isLeft = (address: string): Effect.Effect<boolean> =>
  Effect.async((resume) => {
    const socket = connect(address)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(false))
    })
    socket.once("error", ({ code }: NodeJS.ErrnoException) =>
      resume(Effect.succeed(code === "ECONNREFUSED" && !address.startsWith("\0")))
    )
  })
