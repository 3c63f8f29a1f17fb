/**
 * Calls over real sockets whose connection fails, stalls, is never established, or sends two responses.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent } from "@effect/platform-node/Undici"
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import type * as Gateway from "@manilla/core/Gateway"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as EventLoop from "@manilla/test-support/EventLoop"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Socket } from "node:net"
import * as TestClock from "effect/TestClock"
import * as Undici from "undici"
import { FakeDispatcher } from "./utils/FakeDispatcher.js"
import * as Clients from "./utils/Clients.js"
import * as RawServer from "./utils/RawServer.js"

const callsAt = (baseUrl: string, options: Partial<Gateway.Options> = {}) =>
  FakeService.callsAt(baseUrl, { retry: { attempts: 1, attemptTimeout: "20 seconds" }, ...options })

const first = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e91"
const second = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e92"

const thing = (id: string) => JSON.stringify({ success: true, data: { id, status: "PENDING" } })

const twice = { retry: { attempts: 2, base: "1 milli", attemptTimeout: "20 seconds" } } as const

/** A client on a dispatcher that is destroyed with the layer. */
const over = (make: () => Undici.Dispatcher) =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.map(
      Effect.acquireRelease(Effect.sync(make), (dispatcher) =>
        Effect.promise(() => dispatcher.destroy())
      ),
      UndiciClient.make
    )
  )

const clients = [
  ...Clients.names.map((name) => [name, Clients.layers[name]] as const),
  ["UndiciClient on one connection", over(() => new Undici.Agent({ connections: 1 }))],
  [
    "Effect's undici on one connection",
    Layer.provide(
      NodeHttpClient.layerUndiciWithoutDispatcher,
      Layer.scoped(
        NodeHttpClient.Dispatcher,
        Effect.acquireRelease(
          Effect.sync(() => new Agent({ connections: 1 })),
          (agent) => Effect.promise(() => agent.destroy())
        )
      )
    )
  ]
] as const

/** Whether a client reuses connections. */
const keepsAlive = (name: string) => name !== "node:http"

for (const [name, client] of clients) {
  const live = RawServer.live(client)

  describe(`over ${name}`, () => {
    live("a write is on the wire as it was encoded, with each header once", function* (server) {
      server.answer = (socket, { index }) =>
        RawServer.play(socket, index === 0 ? ["reset"] : [RawServer.good(thing(first))])
      const calls = yield* callsAt(server.baseUrl, twice)
      yield* calls.write(FakeService.calls.write)
      assert.lengthOf(server.seen, 2)
      for (const { body, headers, line } of server.seen) {
        assert.strictEqual(line, "POST /api/v1/things HTTP/1.1")
        assert.deepStrictEqual(JSON.parse(body.toString()), FakeService.calls.write.payload)
        const named = (wanted: string) =>
          headers.flatMap((header) => {
            const [, found, value] = /^([^:]+): *(.*)$/.exec(header) ?? []
            return found?.toLowerCase() === wanted ? [value] : []
          })
        assert.deepStrictEqual(named("content-type"), ["application/json"])
        assert.deepStrictEqual(named("content-length"), [String(body.length)])
        assert.deepStrictEqual(named("transfer-encoding"), [])
        assert.deepStrictEqual(named("authorization"), [`Bearer ${FakeService.tokenText}`])
        assert.deepStrictEqual(named("idempotency-key"), [FakeService.key])
        assert.deepStrictEqual(named("accept-encoding"), ["identity"])
      }
      const [one, other] = server.seen
      assert.isTrue(one?.body.equals(other?.body ?? Buffer.alloc(0)))
    })

    live("a response may come within an attempt timeout of 30 days", function* (server) {
      server.always({ wait: 50 }, RawServer.good(thing(first)))
      const calls = yield* callsAt(server.baseUrl, {
        retry: { attempts: 1, attemptTimeout: "30 days", deadline: "31 days" }
      })
      assert.strictEqual((yield* calls.write(FakeService.calls.write)).id, first)
    })

    for (const [what, steps] of [
      ["reset before the response", ["reset"]],
      ["closed before the response", ["end"]],
      ["reset in the head of the response", [Buffer.from("HTTP/1.1 200 OK\r\ncont"), "reset"]],
      [
        "reset after an informational response",
        [Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n"), { wait: 20 }, "reset"]
      ],
      [
        "reset in the body of the response",
        [RawServer.good(thing(first)).subarray(0, -5), { wait: 20 }, "reset"]
      ],
      [
        "closed in the body of the response",
        [RawServer.good(thing(first)).subarray(0, -5), { wait: 20 }, "end"]
      ]
    ] as const) {
      live(`a connection that is ${what} may have carried the request`, function* (server) {
        server.answer = (socket, { index }) =>
          RawServer.play(socket, index % 2 === 0 ? steps : [RawServer.good(thing(first))])
        const calls = yield* callsAt(server.baseUrl, twice)
        assert.strictEqual((yield* calls.write(FakeService.calls.write)).id, first)
        assert.strictEqual((yield* calls.read(FakeService.calls.read)).id, first)
        assert.lengthOf(server.seen, 4)
        const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
        assert(error._tag === "UnkeyedOutcomeUnknown" && error.cause._tag === "TransportError")
        assert.isTrue(error.cause.sent)
        assert.lengthOf(server.seen, 5)
      })
    }

    if (keepsAlive(name)) {
      live("an idle connection that closes meanwhile may have carried it", function* (server) {
        const asked = new Set<number>()
        server.answer = (socket, { connection }) => {
          RawServer.play(socket, asked.has(connection) ? ["end"] : [RawServer.good(thing(first))])
          asked.add(connection)
        }
        const calls = yield* callsAt(server.baseUrl, twice)
        yield* calls.read(FakeService.calls.read)
        // Until the connection can be reused.
        yield* EventLoop.turns(10)
        yield* calls.write(FakeService.calls.write)
        const [one, two, three] = server.seen.map(({ connection }) => connection)
        assert.lengthOf(server.seen, 3)
        assert.strictEqual(two, one)
        assert.notStrictEqual(three, one)
        yield* EventLoop.turns(10)
        const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
        assert(error._tag === "UnkeyedOutcomeUnknown" && error.cause._tag === "TransportError")
        assert.isTrue(error.cause.sent)
        assert.lengthOf(server.seen, 4)
      })
    }

    live("an idle connection that was closed is not reused", function* (server) {
      server.always(RawServer.good(thing(first)), "end")
      const calls = yield* callsAt(server.baseUrl)
      for (let i = 0; i < 3; i++) {
        yield* calls.writeOnce(FakeService.calls.writeOnce)
        // Once the server has seen its end the client has closed it.
        yield* server.until(() => server.open.size === 0)
      }
      assert.lengthOf(server.seen, 3)
      assert.strictEqual(new Set(server.seen.map(({ connection }) => connection)).size, 3)
    })

    live("a 204 without a body ends the call at once", function* (server) {
      server.always(Buffer.from("HTTP/1.1 204 No Content\r\n\r\n"))
      const calls = yield* callsAt(server.baseUrl)
      for (let i = 0; i < 2; i++) {
        const error = yield* Effect.flip(calls.read(FakeService.calls.read))
        assert(error._tag === "MalformedResponseError")
        assert.strictEqual(error.reason, "Empty")
      }
    })

    live("a chunked response is read", function* (server) {
      const body = Buffer.from(thing("thing-é"))
      // One chunk ends within a character.
      const at = body.indexOf(0xc3) + 1
      const pieces = [body.subarray(0, at), body.subarray(at, at + 1), body.subarray(at + 1)]
      const chunk = (bytes: Buffer) =>
        Buffer.concat([
          Buffer.from(`${bytes.length.toString(16)};name=value\r\n`),
          bytes,
          Buffer.from("\r\n")
        ])
      server.always(
        Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
        ...pieces.flatMap((piece) => [chunk(piece), { wait: 10 }]),
        Buffer.from("0\r\nx-trailer: yes\r\n\r\n")
      )
      const calls = yield* callsAt(server.baseUrl)
      for (let i = 0; i < 2; i++) {
        assert.strictEqual((yield* calls.read(FakeService.calls.read)).id, "thing-é")
      }
    })

    // Fetch retries this request itself, as its standard requires.
    if (!Clients.isFetch(name)) {
      live("a write without a key is sent once when the response is 421", function* (server) {
        server.always(RawServer.good("<html>", "421 Misdirected Request"))
        const calls = yield* callsAt(server.baseUrl)
        yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
        assert.strictEqual(server.seen.length, 1)
      })
    }

    for (const wait of [0, 1, 30]) {
      live(`a second response, ${wait} ms later, is not that to the next read`, function* (server) {
        const stray = RawServer.good(thing(first))
        server.answer = (socket, { index }) =>
          RawServer.play(
            socket,
            index === 0
              ? wait === 0
                ? [Buffer.concat([stray, stray])]
                : [stray, { wait }, stray]
              : [{ wait: 60 }, RawServer.good(thing(second))]
          )
        const calls = yield* callsAt(server.baseUrl)
        const read = (id: string) => calls.read({ path: { thing: FakeService.reference(id) } })
        assert.strictEqual((yield* read(first)).id, first)
        // Until the connection can be reused.
        yield* EventLoop.turns(10)
        const answered = yield* Effect.either(read(second))
        if (answered._tag === "Right") assert.strictEqual(answered.right.id, second)
      })
    }
  })
}

describe("UndiciClient knows that nothing was sent", () => {
  const hasty = { attempts: 3, base: "1 milli", attemptTimeout: 150, deadline: 600 } as const

  /** A write without a key fails as not sent, before its deadline. */
  const notSent = (baseUrl: string, options: Partial<Gateway.Options> = {}) =>
    Effect.gen(function* () {
      const calls = yield* callsAt(baseUrl, options)
      const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
      assert(error._tag === "TransportError")
      assert.isFalse(error.sent)
      return error
    })

  Test.over(over(() => new Undici.Agent({ connect: () => {} }))).live(
    "to an address that does not respond",
    function* () {
      const error = yield* notSent("https://service.invalid", { retry: hasty })
      assert.strictEqual(error.code, "NO_CONNECTION_IN_TIME")
    }
  )

  Test.live("after its dispatcher was destroyed", function* () {
    const agent = new Undici.Agent()
    yield* Effect.promise(() => agent.destroy())
    yield* notSent("https://service.invalid").pipe(
      Effect.provideService(HttpClient.HttpClient, UndiciClient.make(agent))
    )
  })

  it.live("while all of its connections are in use", () =>
    Effect.gen(function* () {
      const server = yield* RawServer.listen
      const calls = yield* callsAt(server.baseUrl, { retry: { attempts: 1 } })
      yield* Effect.fork(calls.read(FakeService.calls.read))
      yield* server.until(() => server.seen.length === 1)
      yield* notSent(server.baseUrl, { retry: hasty })
      assert.lengthOf(server.seen, 1)
    }).pipe(Effect.scoped, Effect.provide(over(() => new Undici.Agent({ connections: 1 }))))
  )

  type Calls = Effect.Effect.Success<ReturnType<typeof callsAt>>

  type End = (
    baseUrl: string,
    calls: Calls
  ) => Effect.Effect<unknown, unknown, HttpClient.HttpClient>

  const ends: Readonly<Record<string, End>> = {
    "ended at its deadline": (baseUrl) => notSent(baseUrl, { retry: hasty }),
    "was interrupted": (_, calls) =>
      Effect.gen(function* () {
        const write = yield* Effect.fork(calls.writeOnce(FakeService.calls.writeOnce))
        yield* EventLoop.turns(10)
        yield* Fiber.interrupt(write)
      })
  }

  for (const [how, end] of Object.entries(ends)) {
    it.live(`and sends nothing later, when a connection is available: the call ${how}`, () =>
      Effect.gen(function* () {
        const server = yield* RawServer.listen
        let busy: Socket | undefined
        server.answer = (socket, { index }) => {
          if (index === 0) busy = socket
          else RawServer.play(socket, [RawServer.good(thing("thing-1"))])
        }
        const calls = yield* callsAt(server.baseUrl, { retry: { attempts: 1 } })
        yield* Effect.fork(calls.read(FakeService.calls.read))
        yield* server.until(() => server.seen.length === 1)
        yield* end(server.baseUrl, calls)
        if (busy !== undefined) RawServer.play(busy, [RawServer.good(thing("thing-1"))])
        yield* calls.read(FakeService.calls.read)
        // The connection is still the same.
        const lines = server.seen.map(({ connection, line }) => [connection, line.slice(0, 4)])
        assert.deepStrictEqual(lines, [
          [0, "GET "],
          [0, "GET "]
        ])
      }).pipe(Effect.scoped, Effect.provide(over(() => new Undici.Agent({ connections: 1 }))))
    )
  }

  Test.live("and sends it when a connection is established before the deadline", function* () {
    const server = yield* RawServer.listen
    server.always(RawServer.good(thing(first)))
    const connect = Undici.buildConnector({})
    let asked = 0
    const dispatcher = new Undici.Agent({
      connect: (options, callback) => {
        if (++asked > 1) connect(options, callback)
      }
    })
    const calls = yield* callsAt(server.baseUrl, {
      retry: { attempts: 3, base: "1 milli", attemptTimeout: "1 second" }
    }).pipe(Effect.provideService(HttpClient.HttpClient, UndiciClient.make(dispatcher)))
    assert.strictEqual((yield* calls.writeOnce(FakeService.calls.writeOnce)).id, first)
    assert.lengthOf(server.seen, 1)
    yield* Effect.promise(() => dispatcher.destroy())
  })
})

describe("a request that waits for a connection", () => {
  Test.effect("is not sent when too little time is left for a response", function* () {
    const dispatcher = new FakeDispatcher(false)
    const calls = yield* callsAt("https://service.invalid/api/v1", {
      retry: { attempts: 1, attemptTimeout: "1 second" }
    }).pipe(Effect.provideService(HttpClient.HttpClient, UndiciClient.make(dispatcher)))
    const call = Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
    const fiber = yield* Effect.fork(call)
    yield* TestClock.adjust("950 millis")
    assert.throws(() => dispatcher.start())
    const error = yield* Fiber.join(fiber)
    assert(error._tag === "TransportError")
    assert.isFalse(error.sent)
    assert.strictEqual(error.code, "NO_CONNECTION_IN_TIME")
  })
})

describe("a connection that was established and then lost", () => {
  type Fail = (request: HttpClientRequest.HttpClientRequest) => HttpClientError.HttpClientError

  /** A write over a client that fails with this error is sent once, and its outcome is unknown. */
  const mayHaveCarried = (fail: Fail) =>
    Effect.gen(function* () {
      let requests = 0
      const client = HttpClient.make((request) => {
        requests++
        return Effect.fail(fail(request))
      })
      const calls = yield* callsAt("https://service.invalid/api/v1").pipe(
        Effect.provideService(HttpClient.HttpClient, client)
      )
      const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
      assert.strictEqual(Errors.outcome(error), "unknown")
      assert.strictEqual(requests, 1)
    })

  const beforeResponse =
    (cause: Error): Fail =>
    (request) =>
      new HttpClientError.RequestError({ request, reason: "Transport", cause })

  const afterResponse =
    (cause: Error): Fail =>
    (request) =>
      new HttpClientError.ResponseError({
        request,
        response: HttpClientResponse.fromWeb(request, new Response()),
        reason: "Decode",
        cause
      })

  const failure = (code: string, syscall: string) =>
    Object.assign(new Error(`${syscall} ${code}`), { code, errno: -113, syscall })

  it.effect.each(["connect read", "read connect", "connect read connect"])(
    "may have carried the write, even if other addresses were not reached: %s",
    (calls) =>
      mayHaveCarried(
        beforeResponse(
          new AggregateError(calls.split(" ").map((call) => failure("ETIMEDOUT", call)))
        )
      )
  )

  it.effect("may have carried the write, even if its client could not connect again", () =>
    mayHaveCarried(afterResponse(failure("ECONNREFUSED", "connect")))
  )

  for (const code of [
    // Linux reports the last ICMP error on the socket when its retransmissions are exhausted.
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "ECONNRESET",
    "EPIPE",
    "EPROTO",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "HPE_HEADER_OVERFLOW",
    "HPE_INVALID_CONSTANT",
    "UND_ERR_CLOSED",
    "UND_ERR_DESTROYED",
    "UND_ERR_HEADERS_OVERFLOW",
    "UND_ERR_SOCKET"
  ]) {
    it.effect(`may have carried the write, even if its error is ${code}`, () =>
      mayHaveCarried(beforeResponse(failure(code, "read")))
    )
  }
})
