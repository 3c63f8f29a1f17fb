/**
 * `UndiciClient` as an ordinary `HttpClient`, without the gateway.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe } from "@effect/vitest"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as EventLoop from "@manilla/test-support/EventLoop"
import type { Steps } from "@manilla/test-support/Steps"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Predicate from "effect/Predicate"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import dns from "node:dns"
import { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { vi } from "vitest"
import * as RawServer from "./utils/RawServer.js"
import * as SlowListener from "./utils/SlowListener.js"

/** The form of `dns.lookup` that connections use. */
type Lookup = (
  host: string,
  options: object,
  done: (error: null, addresses: ReadonlyArray<{ address: string; family: number }>) => void
) => void

const live = (
  title: string,
  steps: (server: RawServer.RawServer, client: HttpClient.HttpClient) => Steps<Scope.Scope>
) =>
  RawServer.live(UndiciClient.layer)(title, function* (server) {
    yield* steps(server, yield* HttpClient.HttpClient)
  })

describe("UndiciClient as an HttpClient", () => {
  live("sends a query and headers, and reads JSON", function* (server, client) {
    server.always(RawServer.good(`{"a":[1,"é"]}`))
    const response = yield* client.get(`${server.baseUrl}/things`, {
      urlParams: { q: "a b", page: "2" },
      headers: { "x-app": "shop" }
    })
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers["content-type"], "application/json")
    assert.deepStrictEqual(yield* response.json, { a: [1, "é"] })
    const [seen] = server.seen
    assert.strictEqual(seen?.line, "GET /api/v1/things?q=a+b&page=2 HTTP/1.1")
    assert.include(seen?.headers.join("\n"), "x-app: shop")
  })

  live("sends text and JSON with their type and length", function* (server, client) {
    server.always(RawServer.good("{}"))
    const post = HttpClientRequest.post(server.baseUrl)
    yield* client.execute(HttpClientRequest.bodyText(post, "é", "text/plain"))
    yield* client.execute(yield* HttpClientRequest.bodyJson(post, { a: 1 }))
    const bodies = server.seen.map(({ body }) => body.toString())
    assert.deepStrictEqual(bodies, ["é", `{"a":1}`])
    const [text, json] = server.seen.map(({ headers }) => headers.join("\n"))
    assert.match(text ?? "", /^content-type: text\/plain$/m)
    assert.match(json ?? "", /^content-type: application\/json$/m)
    assert.match(json ?? "", /^content-length: 7$/m)
  })

  live("gives every cookie that is set", function* (server, client) {
    server.always(
      Buffer.from(
        "HTTP/1.1 200 OK\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 0\r\n\r\n"
      )
    )
    const { cookies } = yield* client.get(server.baseUrl)
    assert.deepStrictEqual(Object.keys(cookies.cookies), ["a", "b"])
  })

  for (const status of [204, 304, 404, 500, 599, 600, 999]) {
    live(`returns a response with the status ${status}`, function* (server, client) {
      server.always(
        Buffer.from(
          `HTTP/1.1 ${status} Words\r\n${status < 400 ? "" : "content-length: 0\r\n"}\r\n`
        )
      )
      const response = yield* client.get(server.baseUrl)
      assert.strictEqual(response.status, status)
      assert.strictEqual(yield* response.text, "")
    })
  }

  live("fails without a connection, with the code of the system", function* (server, client) {
    server.greet = (socket) => socket.destroy()
    const error = yield* Effect.flip(client.get("http://127.0.0.1:1/"))
    assert(error._tag === "RequestError")
    assert.strictEqual(error.reason, "Transport")
    assert.propertyVal(error.cause, "code", "ECONNREFUSED")
  })

  live("refuses the methods and bodies that it does not send", function* (server, client) {
    for (const request of [
      HttpClientRequest.put(server.baseUrl),
      HttpClientRequest.bodyFormData(HttpClientRequest.post(server.baseUrl), new FormData())
    ]) {
      const error = yield* Effect.flip(client.execute(request))
      assert.strictEqual(error.reason, "Encode")
    }
    assert.lengthOf(server.seen, 0)
  })

  live("frees the connection of a request that is interrupted", function* (server, client) {
    const fiber = yield* Effect.fork(client.get(server.baseUrl))
    yield* server.until(() => server.seen.length === 1)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    yield* server.until(() => server.used.size === 0)
  })
})

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

describe("the connections of UndiciClient", () => {
  /** Callers that make several requests each, one after the other. */
  const burst = (
    { baseUrl }: RawServer.RawServer,
    client: HttpClient.HttpClient,
    callers: number,
    each: number
  ) =>
    Effect.replicateEffect(
      Effect.replicateEffect(client.post(baseUrl), each, { discard: true }),
      callers,
      { concurrency: "unbounded", discard: true }
    )

  /** undici closes an idle connection two seconds before the service would. */
  const brief = Buffer.from("HTTP/1.1 200 OK\r\nkeep-alive: timeout=3\r\ncontent-length: 0\r\n\r\n")

  for (const [title, connections, most] of [
    ["no more than there are requests in flight", undefined, 64],
    ["no more than its limit", 8, 8]
  ] as const) {
    const live = RawServer.live(UndiciClient.layerWith({ connections }))
    live(`a burst after a pause opens ${title}`, function* (server) {
      let opened = 0
      server.greet = () => void opened++
      server.always(brief)
      const client = yield* HttpClient.HttpClient
      yield* burst(server, client, 64, 1)
      // The pause, in real time: undici's timers do not use Effect's clock.
      yield* server.until(() => server.open.size === 0)
      opened = 0
      yield* burst(server, client, 64, 10)
      assert.isAtMost(opened, most)
    })
  }

  RawServer.live(UndiciClient.layer)("are released when they close", function* (server) {
    const sockets: Array<WeakRef<Socket>> = []
    const remember = (message: unknown) => {
      assert(Predicate.hasProperty(message, "socket") && message.socket instanceof Socket)
      sockets.push(new WeakRef(message.socket))
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => subscribe("undici:client:connected", remember)),
      () => Effect.sync(() => unsubscribe("undici:client:connected", remember))
    )
    server.always(
      Buffer.from("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
      "end"
    )
    const client = yield* HttpClient.HttpClient
    yield* Effect.replicateEffect(client.post(server.baseUrl), 50, { discard: true })
    yield* server.until(() => server.open.size === 0)
    yield* EventLoop.turns(10)
    collectGarbage()
    assert.lengthOf(sockets, 50)
    // undici keeps the last one.
    assert.isAtMost(sockets.filter((socket) => socket.deref() !== undefined).length, 5)
  })

  Test.over(UndiciClient.layer).live(
    "a handshake of more than 250 ms succeeds, although the other address has no network",
    function* () {
      const port = yield* SlowListener.listen
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          vi.spyOn(dns, "lookup").mockImplementation(((...[, , done]: Parameters<Lookup>) =>
            done(null, [
              { address: "127.0.0.1", family: 4 },
              // No route leads to a reserved address.
              { address: "::ffff:240.0.0.1", family: 6 }
            ])) as never)
        ),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      const client = yield* HttpClient.HttpClient
      const response = yield* client.get(`http://two-families.example:${port}/`)
      assert.strictEqual(response.status, 200)
    }
  )

  const onTwo = Test.over(UndiciClient.layerWith({ connections: 2 }))
  onTwo.live("every request ends if no connection can be established", function* () {
    const server = yield* Effect.scoped(RawServer.listen)
    const client = yield* HttpClient.HttpClient
    const errors = yield* Effect.replicateEffect(Effect.flip(client.post(server.baseUrl)), 20, {
      concurrency: "unbounded"
    })
    for (const { cause } of errors) assert.propertyVal(cause, "code", "ECONNREFUSED")
  })
})
