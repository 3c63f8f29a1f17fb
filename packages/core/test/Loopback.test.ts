/**
 * Hostile responses over a real socket, with each HTTP client: a call ends in time with the right result,
 * and releases its connection.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as EventLoop from "@manilla/test-support/EventLoop"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse
} from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { gzipSync } from "node:zlib"
import * as Changes from "./utils/Changes.js"
import * as Clients from "./utils/Clients.js"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

interface Listening {
  readonly baseUrl: string
  readonly urls: Array<string>
  readonly headers: Array<IncomingHttpHeaders>
  /** The open connections that carried a request. After an abort, undici opens another idle one. */
  readonly open: Set<Socket>
  /** Completes when a condition on the requests or the open connections holds. */
  readonly until: (condition: () => boolean) => Effect.Effect<void>
  /** How many connections have carried a request. */
  readonly connections: () => number
}

/** A server on a loopback port, whose connections are closed with the scope. */
const listen = (handler: Handler) =>
  Effect.acquireRelease(
    Effect.async<Listening & { readonly close: Effect.Effect<void> }>((resume) => {
      const open = new Set<Socket>()
      const asked = new WeakSet<Socket>()
      const urls: Array<string> = []
      const headers: Array<IncomingHttpHeaders> = []
      const changes = Changes.make()
      let count = 0
      const server = createServer((request, response) => {
        const { socket } = request
        if (!asked.has(socket)) {
          asked.add(socket)
          count++
          open.add(socket)
          socket.on("close", () => {
            open.delete(socket)
            changes.tell()
          })
        }
        urls.push(request.url ?? "")
        headers.push(request.headers)
        request.resume()
        handler(request, response)
        changes.tell()
      })
      server.on("connection", (socket) => socket.on("error", () => {}))
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            baseUrl: `http://127.0.0.1:${port}/api/v1`,
            urls,
            headers,
            open,
            until: changes.until,
            connections: () => count,
            close: Effect.sync(() => {
              server.closeAllConnections()
              server.close()
            })
          })
        )
      })
    }),
    ({ close }) => close
  )

const callsAt = (baseUrl: string, options: Partial<Gateway.Options> = {}) =>
  Effect.map(
    Gateway.make(
      { baseUrl, ...options },
      {
        get: () =>
          Effect.succeed({ value: Redacted.make("t0ken"), environment: "SANDBOX", scopes: [] }),
        reject: () => Effect.void
      }
    ),
    (gateway) => gateway.calls(FakeService.group)
  )

/** The diagnostics channels on which undici (also under fetch) and node:http report response headers. */
const heads = ["undici:request:headers", "http.client.response.finish"]

/** Completes when a client has read response headers. The server cannot observe this. */
const headRead = Effect.async<void>((resume) => {
  const ignore = () => heads.forEach((name) => unsubscribe(name, tell))
  const tell = () => {
    ignore()
    resume(Effect.void)
  }
  heads.forEach((name) => subscribe(name, tell))
  return Effect.sync(ignore)
})

const json = { "content-type": "application/json" }
const thing = JSON.stringify({ success: true, data: { id: "thing-1", status: "PENDING" } })
const hasty = { attempts: 1, attemptTimeout: "300 millis", deadline: "1 second" } as const

for (const name of Clients.names) {
  const client = Clients.layers[name]
  const live = (title: string, test: Effect.Effect<void, unknown, HttpClient.HttpClient>) =>
    it.live(title, () => Effect.provide(test, client))

  describe(`over ${name}`, () => {
    live(
      "responses are read, and connections are reused",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, connections, urls } = yield* listen((_, response) => {
            response.writeHead(200, json).end(thing)
          })
          const calls = yield* callsAt(baseUrl)
          for (let i = 0; i < 20; i++) yield* calls.read(FakeService.calls.read)
          assert.deepStrictEqual(new Set(urls), new Set(["/api/v1/things/thing-1"]))
          // Effect's client over node:http keeps connections alive only with a suitable agent.
          if (name !== "node:http") assert.isAtMost(connections(), 3)
        })
      )
    )

    live(
      "a redirect is not followed",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, urls } = yield* listen((request, response) => {
            const to = request.url === "/elsewhere" ? {} : { location: "/elsewhere" }
            response.writeHead(to.location === undefined ? 200 : 307, { ...json, ...to }).end(thing)
          })
          const calls = yield* callsAt(baseUrl)
          const error = yield* Effect.flip(calls.write(FakeService.calls.write))
          assert(error._tag === "OutcomeUnknown" && error.cause._tag === "UnexpectedStatusError")
          assert.strictEqual(error.cause.status, 307)
          assert.deepStrictEqual(urls, ["/api/v1/things"])
        })
      )
    )

    live(
      "a body over the limit is aborted, with or without content-length",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, open, until } = yield* listen((request, response) => {
            const big = Buffer.alloc(3_000_000, " ")
            response.writeHead(200, {
              ...json,
              ...(request.method === "GET" ? { "content-length": String(big.length) } : {})
            })
            response.end(big)
          })
          const calls = yield* callsAt(baseUrl, { bodyLimit: 100_000 })
          const announced = yield* Effect.flip(calls.read(FakeService.calls.read))
          assert(announced._tag === "MalformedResponseError")
          assert.strictEqual(announced.reason, "TooLarge")
          const chunked = yield* Effect.flip(calls.write(FakeService.calls.write))
          assert(
            chunked._tag === "OutcomeUnknown" && chunked.cause._tag === "MalformedResponseError"
          )
          assert.strictEqual(chunked.cause.reason, "TooLarge")
          yield* until(() => open.size === 0)
        })
      )
    )

    live(
      "a gzip bomb is not decompressed beyond the limit",
      Effect.scoped(
        Effect.gen(function* () {
          const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "))
          const { baseUrl } = yield* listen((_, response) => {
            response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(bomb)
          })
          const calls = yield* callsAt(baseUrl, { retry: { attempts: 1 } })
          const before = process.memoryUsage().arrayBuffers
          const error = yield* Effect.flip(calls.read(FakeService.calls.read))
          assert(error._tag === "MalformedResponseError")
          // fetch decompresses and aborts; the others return the compressed bytes.
          assert.strictEqual(error.reason, Clients.isFetch(name) ? "TooLarge" : "NotText")
          assert.isBelow(process.memoryUsage().arrayBuffers - before, 48 * 1024 * 1024)
        })
      )
    )

    live(
      "a slow body ends at the attempt timeout",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, open, until } = yield* listen((_, response) => {
            response.writeHead(200, json)
            // Real time: the test is about a server that keeps writing.
            const drip = setInterval(() => response.write(" "), 20)
            response.on("close", () => clearInterval(drip))
          })
          const calls = yield* callsAt(baseUrl, { retry: hasty })
          const error = yield* Effect.flip(calls.read(FakeService.calls.read))
          assert.strictEqual(error._tag, "TimeoutError")
          yield* until(() => open.size === 0)
        })
      )
    )

    /** Responses that never end, and an effect that completes when the call stalls there. */
    const endless = [
      ["before the response", () => {}, Effect.void],
      [
        "within the body",
        (_: IncomingMessage, response: ServerResponse) => {
          response.writeHead(200, json).write(`{"success":`)
        },
        headRead
      ]
    ] as const

    for (const [where, handler, stalls] of endless) {
      it.effect(`a call that stalls ${where} ends at its deadline by the clock of its fiber`, () =>
        Effect.gen(function* () {
          const { baseUrl, open, until, urls } = yield* listen(handler)
          const calls = yield* callsAt(baseUrl, { retry: { attempts: 1 } })
          const stalled = yield* Effect.fork(stalls)
          yield* Effect.yieldNow()
          const call = yield* Effect.fork(Effect.flip(calls.writeOnce(FakeService.calls.writeOnce)))
          yield* until(() => urls.length === 1)
          yield* Fiber.join(stalled)
          yield* TestClock.adjust("29 seconds")
          yield* EventLoop.turns(10)
          assert.isTrue(Option.isNone(yield* Fiber.poll(call)))
          yield* TestClock.adjust("1 second")
          const error = yield* Fiber.join(call)
          assert(error._tag === "UnkeyedOutcomeUnknown" && error.cause._tag === "TimeoutError")
          assert.strictEqual(error.cause.afterMillis, 30_000)
          yield* until(() => open.size === 0)
        }).pipe(Effect.scoped, Effect.provide(client))
      )

      live(
        `a call that stalls ${where} ends at its deadline in real time`,
        Effect.scoped(
          Effect.gen(function* () {
            const { baseUrl, open, until, urls } = yield* listen(handler)
            const calls = yield* callsAt(baseUrl, {
              retry: { attempts: 3, base: "1 milli", attemptTimeout: "300 millis", deadline: 700 }
            })
            const [took, error] = yield* Effect.timed(
              Effect.flip(calls.write(FakeService.calls.write))
            )
            assert(error._tag === "OutcomeUnknown")
            assert.strictEqual(error.cause._tag, "TimeoutError")
            assert.isAtLeast(Duration.toMillis(took), 290)
            // Tolerance for a busy machine.
            assert.isBelow(Duration.toMillis(took), 5000)
            assert.isAtLeast(urls.length, 1)
            yield* until(() => open.size === 0)
          })
        )
      )
    }

    for (const [where, handler, stalls] of endless) {
      live(
        `a call that is interrupted ${where} releases its connection`,
        Effect.scoped(
          Effect.gen(function* () {
            const { baseUrl, open, until, urls } = yield* listen(handler)
            const calls = yield* callsAt(baseUrl)
            const stalled = yield* Effect.fork(stalls)
            yield* Effect.yieldNow()
            const call = yield* Effect.fork(calls.read(FakeService.calls.read))
            yield* until(() => urls.length === 1)
            yield* Fiber.join(stalled)
            assert.strictEqual(open.size, 1)
            yield* Fiber.interrupt(call)
            yield* until(() => open.size === 0)
          })
        )
      )
    }

    it.live("a client that is derived from it keeps its additions", () =>
      Effect.gen(function* () {
        const { baseUrl, headers } = yield* listen((_, response) => {
          response.writeHead(200, json).end(thing)
        })
        const calls = yield* callsAt(baseUrl)
        yield* calls.read(FakeService.calls.read)
        yield* calls.write(FakeService.calls.write)
        assert.lengthOf(headers, 2)
        for (const all of headers) {
          assert.strictEqual(all[Clients.header.name], Clients.header.value)
          assert.strictEqual(all.authorization, "Bearer t0ken")
        }
      }).pipe(Effect.scoped, Effect.provide(Clients.derived(client)))
    )

    live(
      "a body with too large a content-length is also aborted in a derived client",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, open, until } = yield* listen((_, response) => {
            response.writeHead(200, { ...json, "content-length": "3000000" }).write(" ".repeat(100))
          })
          const inner = yield* HttpClient.HttpClient
          const outer = HttpClient.make((request) =>
            inner.execute(HttpClientRequest.setHeader(request, "x-app", "shop"))
          )
          const calls = yield* callsAt(baseUrl, {
            bodyLimit: 100_000,
            retry: { attempts: 1, attemptTimeout: "5 seconds" }
          }).pipe(Effect.provideService(HttpClient.HttpClient, outer))
          const error = yield* Effect.flip(calls.read(FakeService.calls.read))
          assert(error._tag === "MalformedResponseError")
          assert.strictEqual(error.reason, "TooLarge")
          yield* until(() => open.size === 0)
        })
      )
    )

    live(
      "a truncated body leaves the outcome of a write unknown, and the write is retried",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, urls } = yield* listen((request, response) => {
            response.writeHead(201, { ...json, "content-length": "500" })
            response.write(thing, () => request.socket.destroy())
          })
          const calls = yield* callsAt(baseUrl, { retry: { attempts: 2, base: "1 milli" } })
          const error = yield* Effect.flip(calls.write(FakeService.calls.write))
          assert(error._tag === "OutcomeUnknown")
          assert.strictEqual(error.cause._tag, "TransportError")
          assert.strictEqual(urls.length, 2)
        })
      )
    )

    live(
      "a refused connection has not carried the write",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl } = yield* Effect.scoped(listen(() => {}))
          const calls = yield* callsAt(baseUrl, { retry: { attempts: 2, base: "1 milli" } })
          const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
          assert(error._tag === "TransportError")
          assert.strictEqual(error.sent, false)
          assert.strictEqual(error.code, "ECONNREFUSED")
        })
      )
    )

    live(
      "an id never leaves its path",
      Effect.scoped(
        Effect.gen(function* () {
          const { baseUrl, urls } = yield* listen((_, response) => {
            response.writeHead(200, json).end(thing)
          })
          const calls = yield* callsAt(baseUrl)
          for (const id of ["../payouts", "a/b", "a?b=c", "a#b", "%2e%2e", "..\\payouts", "é ü"]) {
            yield* calls.read({ path: { thing: FakeService.reference(id) } })
          }
          assert.strictEqual(urls.length, 7)
          for (const url of urls) assert.match(url, /^\/api\/v1\/things\/[^/?#\\]+$/)
        })
      )
    )
  })
}
