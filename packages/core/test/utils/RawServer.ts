/**
 * A server that reads whole requests and then writes to the socket whatever it is told to: bytes,
 * not HTTP.
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import { it } from "@effect/vitest"
import type { Steps } from "@manilla/test-support/Steps"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { createServer, type AddressInfo, type Socket } from "node:net"
import * as Changes from "./Changes.js"

export interface Seen {
  /** Counts the requests from 0. */
  readonly index: number
  /** Counts the connections from 0. */
  readonly connection: number
  readonly line: string
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer
}

export interface RawServer {
  readonly baseUrl: string
  readonly seen: Array<Seen>
  readonly open: Set<Socket>
  /** The open connections that carried a request. After an abort, undici opens another idle one. */
  readonly used: Set<Socket>
  /** Completes when a condition on the received requests or the connections holds. */
  readonly until: (condition: () => boolean) => Effect.Effect<void>
  /** Plays the same steps after each request. */
  readonly always: (...steps: ReadonlyArray<Step>) => void
  /** The reaction to the next request. */
  answer: (socket: Socket, seen: Seen) => void
  /** The reaction to a new connection, before its first request. */
  greet: (socket: Socket) => void
}

/**
 * One step of a script for a connection. Its waits are in real time, because the tests are about a server
 * that writes in parts, or late.
 */
export type Step = Buffer | { readonly wait: number } | "end" | "destroy" | "reset"

export const play = (socket: Socket, steps: ReadonlyArray<Step>): void => {
  const [step, ...rest] = steps
  if (step === undefined || socket.destroyed) return
  if (step === "end") {
    socket.end()
  } else if (step === "destroy") {
    socket.destroy()
  } else if (step === "reset") {
    socket.resetAndDestroy()
  } else if ("wait" in step) {
    const timer = setTimeout(() => play(socket, rest), step.wait)
    socket.once("close", () => clearTimeout(timer))
  } else {
    socket.write(step)
    play(socket, rest)
  }
}

/** A whole and good answer. */
export const good = (body: string, status = "200 OK"): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )

export const listen = Effect.acquireRelease(
  Effect.async<RawServer & { readonly close: Effect.Effect<void> }>((resume) => {
    const open = new Set<Socket>()
    const used = new Set<Socket>()
    const changes = Changes.make()
    let connections = 0
    const server = createServer((socket) => {
      const connection = connections++
      open.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        open.delete(socket)
        used.delete(socket)
        changes.tell()
      })
      let held = Buffer.alloc(0)
      socket.on("data", (chunk) => {
        held = Buffer.concat([held, chunk])
        for (;;) {
          const end = held.indexOf("\r\n\r\n")
          if (end === -1) return
          const [line = "", ...headers] = held.subarray(0, end).toString("latin1").split("\r\n")
          const lengths = headers.flatMap(
            (header) => /^content-length: *(\d+)$/i.exec(header) ?? []
          )
          const length = Number(lengths[1] ?? 0)
          if (held.length < end + 4 + length) return
          const body = held.subarray(end + 4, end + 4 + length)
          held = held.subarray(end + 4 + length)
          const seen = { index: made.seen.length, connection, line, headers, body }
          made.seen.push(seen)
          used.add(socket)
          made.answer(socket, seen)
          changes.tell()
        }
      })
      made.greet(socket)
    })
    const made: RawServer & { readonly close: Effect.Effect<void> } = {
      baseUrl: "",
      seen: [],
      open,
      used,
      until: changes.until,
      always: (...steps) => {
        made.answer = (socket) => play(socket, steps)
      },
      answer: () => {},
      greet: () => {},
      close: Effect.sync(() => {
        open.forEach((socket) => socket.destroy())
        server.close()
      })
    }
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed(Object.assign(made, { baseUrl: `http://127.0.0.1:${port}/api/v1` })))
    })
  }),
  ({ close }) => close
)

/** Defines tests over a client and a server of their own, with real timers. */
export const live =
  (client: Layer.Layer<HttpClient.HttpClient, unknown>) =>
  (title: string, steps: (server: RawServer) => Steps<HttpClient.HttpClient | Scope.Scope>) =>
    it.scopedLive(title, () =>
      Effect.flatMap(listen, (server) => Effect.gen(() => steps(server))).pipe(
        Effect.provide(client)
      )
    )
