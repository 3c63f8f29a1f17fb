/**
 * Connections that answer twice, and connections that were lost after they had been established.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent } from "@effect/platform-node/Undici"
import { assert, describe, it } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as FakeService from "./utils/FakeService.js"
import * as RawServer from "./utils/RawServer.js"

const tokens = {
  get: Effect.succeed({
    value: Redacted.make("t0ken-t0ken"),
    environment: "SANDBOX",
    scopes: []
  }),
  reject: () => Effect.void
} as const

const callsAt = (baseUrl: string, options: Partial<Gateway.Options> = {}) =>
  Effect.map(
    Gateway.make(
      { baseUrl, retry: { attempts: 1, attemptTimeout: "1 second" }, ...options },
      tokens
    ),
    (gateway) => gateway.calls(FakeService.group)
  )

const first = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e91"
const second = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e92"

const thing = (id: string) => JSON.stringify({ success: true, data: { id, status: "PENDING" } })

const clients = [
  ["undici", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer],
  [
    "undici on one connection",
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

for (const [name, client] of clients) {
  const live = (title: string, test: Effect.Effect<void, unknown, HttpClient.HttpClient>) =>
    it.live(title, () => Effect.provide(test, client))

  describe(`over ${name}`, () => {
    // By its own standard fetch sends such a request again by itself.
    if (name !== "fetch") {
      live(
        "a write without a key is on the wire once, when it is answered 421",
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* RawServer.listen
            server.answer = (socket) =>
              RawServer.play(socket, [RawServer.good("<html>", "421 Misdirected Request")])
            const calls = yield* callsAt(server.baseUrl)
            yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
            assert.strictEqual(server.seen.length, 1)
          })
        )
      )
    }

    for (const wait of [0, 1, 30]) {
      live(
        `an answer that comes twice, ${wait} ms apart, is not taken for the answer to the next read`,
        Effect.scoped(
          Effect.gen(function* () {
            const server = yield* RawServer.listen
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
            assert.strictEqual((yield* read(first)).data.id, first)
            // Long enough for the connection to be taken again.
            yield* Effect.sleep("5 millis")
            const answered = yield* Effect.either(read(second))
            if (answered._tag === "Right") assert.strictEqual(answered.right.data.id, second)
          })
        )
      )
    }
  })
}

describe("a connection that was established, and that the network then lost", () => {
  /** A write is sent once, and unknown, over a client that fails with this. */
  const mayHaveCarried = (cause: Error) =>
    Effect.gen(function* () {
      let requests = 0
      const client = HttpClient.make((request) => {
        requests++
        return Effect.fail(
          new HttpClientError.RequestError({ request, reason: "Transport", cause })
        )
      })
      const calls = yield* callsAt("https://service.invalid/api/v1").pipe(
        Effect.provideService(HttpClient.HttpClient, client)
      )
      const error = yield* Effect.flip(calls.writeOnce(FakeService.calls.writeOnce))
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual(requests, 1)
    })

  const failure = (code: string, syscall: string) =>
    Object.assign(new Error(`${syscall} ${code}`), { code, errno: -113, syscall })

  it.effect("may have carried the write, though another address was never reached", () =>
    mayHaveCarried(
      new AggregateError([failure("ETIMEDOUT", "connect"), failure("ETIMEDOUT", "read")])
    )
  )

  // Linux reports the last ICMP error on the socket when its retransmissions are exhausted.
  for (const code of ["EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED"]) {
    it.effect(`may have carried the write, though its error is ${code}`, () =>
      mayHaveCarried(failure(code, "read"))
    )
  }
})
