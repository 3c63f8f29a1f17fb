/**
 * Hostile responses over a real socket, with each HTTP client: a call ends in time with the right result,
 * and releases its connection.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as EventLoop from "@manilla/test-support/EventLoop"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { gzipSync } from "node:zlib"
import * as Clients from "./utils/Clients.js"
import * as RawServer from "./utils/RawServer.js"

const { callsAt } = FakeService

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

const thing = RawServer.good(
  JSON.stringify({ success: true, data: { id: "thing-1", status: "PENDING" } })
)

/** The start of a response with this header. */
const head = (header: string) => Buffer.from(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`)

/** Whether no connection that carried a request is open. */
const released = (server: RawServer.RawServer) => server.until(() => server.used.size === 0)

for (const name of Clients.names) {
  const client = Clients.layers[name]
  const live = RawServer.live(client)

  describe(`over ${name}`, () => {
    live("responses are read, and connections are reused", function* (server) {
      server.always(thing)
      const calls = yield* callsAt(server.baseUrl)
      for (let i = 0; i < 20; i++) yield* calls.read(FakeService.calls.read)
      const lines = new Set(server.seen.map(({ line }) => line))
      assert.deepStrictEqual(lines, new Set(["GET /api/v1/things/thing-1 HTTP/1.1"]))
      // Effect's client over node:http keeps connections alive only with a suitable agent.
      const connections = new Set(server.seen.map(({ connection }) => connection))
      if (name !== "node:http") assert.isAtMost(connections.size, 3)
    })

    live("a Retry-After that comes twice tells no time", function* (server) {
      const twice = "retry-after: 7\r\nretry-after: 20\r\ncontent-length: 0"
      server.always(Buffer.from(`HTTP/1.1 429 Too Many Requests\r\n${twice}\r\n\r\n`))
      const calls = yield* callsAt(server.baseUrl, { retry: { attempts: 1 } })
      const error = yield* Effect.flip(calls.read(FakeService.calls.read))
      assert(error._tag === "RateLimitError")
      // `node:http` itself drops the second one.
      const millis = name === "node:http" ? 7000 : undefined
      assert.strictEqual(error.retryAfterMillis, millis)
    })

    live("a body over the limit is aborted, with or without content-length", function* (server) {
      const big = Buffer.alloc(3_000_000, " ")
      server.answer = (socket, { index }) =>
        RawServer.play(
          socket,
          index === 0
            ? [head(`content-length: ${big.length}`), big]
            : [
                head("transfer-encoding: chunked"),
                Buffer.from(`${big.length.toString(16)}\r\n`),
                big,
                Buffer.from("\r\n0\r\n\r\n")
              ]
        )
      const calls = yield* callsAt(server.baseUrl, { bodyLimit: 100_000 })
      for (let i = 0; i < 2; i++) {
        const error = yield* Effect.flip(calls.read(FakeService.calls.read))
        assert(error._tag === "MalformedResponseError")
        assert.strictEqual(error.reason, "TooLarge")
      }
      yield* released(server)
    })

    live("a gzip bomb is not decompressed beyond the limit", function* (server) {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "))
      server.always(head(`content-encoding: gzip\r\ncontent-length: ${bomb.length}`), bomb)
      const calls = yield* callsAt(server.baseUrl, { retry: { attempts: 1 } })
      const before = process.memoryUsage().arrayBuffers
      const error = yield* Effect.flip(calls.read(FakeService.calls.read))
      assert(error._tag === "MalformedResponseError")
      assert.strictEqual(error.reason, "TooLarge")
      assert.isBelow(process.memoryUsage().arrayBuffers - before, 48 * 1024 * 1024)
    })

    /** The start of a response that never ends, and an effect that completes when the call stalls there. */
    const endless = [
      ["before the response", [], Effect.void],
      ["within the body", [head("content-length: 500"), Buffer.from(`{"success":`)], headRead]
    ] as const

    /** Starts a call, and completes when it stalls. */
    const stalled = <A, E, R>(
      server: RawServer.RawServer,
      stalls: Effect.Effect<void>,
      call: Effect.Effect<A, E, R>
    ) =>
      Effect.gen(function* () {
        const stalling = yield* Effect.fork(stalls)
        yield* Effect.yieldNow()
        const fiber = yield* Effect.fork(call)
        yield* server.until(() => server.seen.length === 1)
        yield* Fiber.join(stalling)
        return fiber
      })

    for (const [where, steps, stalls] of endless) {
      it.effect(`a call that stalls ${where} ends at its deadline by the clock of its fiber`, () =>
        Effect.gen(function* () {
          const server = yield* RawServer.listen
          server.always(...steps)
          const calls = yield* callsAt(server.baseUrl, { retry: { attempts: 1 } })
          const write = Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
          const call = yield* stalled(server, stalls, write)
          yield* TestClock.adjust("29 seconds")
          yield* EventLoop.turns(10)
          assert.isTrue(Option.isNone(yield* Fiber.poll(call)))
          const error = yield* Elapsed.during("1 second", Fiber.join(call))
          assert(error._tag === "UnkeyedOutcomeUnknown" && error.cause._tag === "TimeoutError")
          assert.strictEqual(error.cause.afterMillis, 30_000)
          yield* released(server)
        }).pipe(Effect.scoped, Effect.provide(client))
      )

      live(`a call that is interrupted ${where} releases its connection`, function* (server) {
        server.always(...steps)
        const calls = yield* callsAt(server.baseUrl)
        const call = yield* stalled(server, stalls, calls.read(FakeService.calls.read))
        assert.strictEqual(server.used.size, 1)
        yield* Fiber.interrupt(call)
        yield* released(server)
      })
    }

    live("a call that stalls ends at its timeout in real time", function* (server) {
      const calls = yield* callsAt(server.baseUrl, {
        retry: { attempts: 1, attemptTimeout: "1 second" }
      })
      const error = yield* Effect.flip(calls.write(FakeService.calls.write))
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.cause._tag, "TimeoutError")
      yield* released(server)
    })

    RawServer.live(Clients.derived(client))(
      "a client that is derived from it keeps its additions",
      function* (server) {
        server.always(thing)
        const calls = yield* callsAt(server.baseUrl)
        yield* calls.read(FakeService.calls.read)
        yield* calls.write(FakeService.calls.write)
        assert.lengthOf(server.seen, 2)
        for (const { headers } of server.seen) {
          const all = headers.join("\n").toLowerCase()
          assert.include(all, `${Clients.header.name}: ${Clients.header.value}`)
          assert.include(all, `authorization: bearer ${FakeService.tokenText}`.toLowerCase())
        }
      }
    )

    live("a body that is too long is also aborted in a derived client", function* (server) {
      server.always(head("content-length: 3000000"), Buffer.alloc(100, " "))
      const inner = yield* HttpClient.HttpClient
      const outer = HttpClient.make((request) =>
        inner.execute(HttpClientRequest.setHeader(request, "x-app", "shop"))
      )
      const calls = yield* callsAt(server.baseUrl, { bodyLimit: 100_000 }).pipe(
        Effect.provideService(HttpClient.HttpClient, outer)
      )
      const error = yield* Effect.flip(calls.read(FakeService.calls.read))
      assert(error._tag === "MalformedResponseError")
      assert.strictEqual(error.reason, "TooLarge")
      yield* released(server)
    })

    live("an id never leaves its path", function* (server) {
      server.always(thing)
      const calls = yield* callsAt(server.baseUrl)
      for (const id of ["../payouts", "a/b", "a?b=c", "a#b", "%2e%2e", "..\\payouts", "é ü"]) {
        yield* calls.read({ path: { thing: FakeService.reference(id) } })
      }
      assert.lengthOf(server.seen, 7)
      for (const { line } of server.seen) {
        assert.match(line, /^GET \/api\/v1\/things\/[^/?#\\]+ HTTP/)
      }
    })
  })
}
