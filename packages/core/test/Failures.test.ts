/**
 * Every failure of the table, over every client: a write reports the outcome that its client can know, in words.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "@manilla/core/Errors"
import * as FetchClient from "@manilla/core/FetchClient"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as FailureTable from "@manilla/test-support/FailureTable"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Undici from "undici"
import * as Clients from "./utils/Clients.js"
import * as failures from "./utils/failures.js"

/** A dispatcher for a place, which is destroyed with the scope. */
const dispatcherFor = ({ ca, proxy }: failures.Place) =>
  Effect.acquireRelease(
    Effect.sync((): Undici.Dispatcher => {
      const tls = ca === undefined ? {} : { ca }
      return proxy === undefined
        ? new Undici.Agent({ connect: tls })
        : new Undici.ProxyAgent({ uri: proxy, requestTls: tls })
    }),
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )

/** `fetch` of Node accepts a dispatcher, though its types do not say so. */
const fetchFor = (place: failures.Place) =>
  Effect.map(dispatcherFor(place), (dispatcher): typeof globalThis.fetch => (input, init) => {
    const withDispatcher: RequestInit & { readonly dispatcher: unknown } = { ...init, dispatcher }
    return globalThis.fetch(input, withDispatcher)
  })

/** Each client, as a program at this place would make it. */
const clientFor = {
  UndiciClient: (place) =>
    Layer.scoped(HttpClient.HttpClient, Effect.map(dispatcherFor(place), UndiciClient.make)),
  FetchClient: (place) =>
    Layer.scoped(HttpClient.HttpClient, Effect.map(fetchFor(place), FetchClient.make)),
  "Effect's fetch": (place) =>
    Layer.provide(FetchHttpClient.layer, Layer.scoped(FetchHttpClient.Fetch, fetchFor(place))),
  "Effect's undici": (place) =>
    Layer.provide(
      NodeHttpClient.layerUndiciWithoutDispatcher,
      Layer.scoped(NodeHttpClient.Dispatcher, dispatcherFor(place))
    ),
  "Effect's node:http": ({ ca }) =>
    Layer.provide(
      NodeHttpClient.layerWithoutAgent,
      NodeHttpClient.makeAgentLayer(ca === undefined ? {} : { ca })
    )
} satisfies Record<
  FailureTable.Client,
  (place: failures.Place) => Layer.Layer<HttpClient.HttpClient>
>

/** One attempt, without a key. */
const write = ({ baseUrl, isSilent = false }: failures.Place) =>
  Effect.gen(function* () {
    const calls = yield* FakeService.callsAt(baseUrl, {
      retry: { attempts: 1, attemptTimeout: isSilent ? "300 millis" : "20 seconds" },
      bodyLimit: 1_000_000
    })
    return yield* calls.writeOnce(FakeService.calls.writeOnce)
  })

const words = { applied: "applied", notApplied: "not applied", unknown: "unknown" } as const

for (const [name, row] of Record.toEntries(FailureTable.rows)) {
  describe(`${row.group}: ${row.event}`, () => {
    for (const client of FailureTable.clients) {
      const expected = FailureTable.outcomeOn(row, client)
      if (expected === "–") continue
      // The clients of this library also tell the client of an application, made from them, whether they sent.
      const ways = /^(Undici|Fetch)Client$/.test(client) ? [identity, Clients.derived] : [identity]
      it.live(`is ${expected} over ${client}`, () =>
        Effect.forEach(Arr.cartesian(failures.scenes[name], ways), ([scene, way]) =>
          Effect.gen(function* () {
            const place = yield* scene
            const isDerived = way === Clients.derived
            // Its deadline is the one of the call, which does not know the connection.
            if (isDerived && place.isSilent === true) return
            const result = yield* Effect.either(
              Effect.provide(write(place), way(clientFor[client](place)))
            )
            if (Either.isRight(result)) return assert.strictEqual("applied", expected)
            const { left: error } = result
            if (error._tag === "ConfigurationError") return assert.fail(error.message)
            assert.strictEqual(words[Errors.outcome(error)], expected, error.message)
            // A request whose token was refused is sent again with a new one.
            const most = { TransportError: 0, UnauthorizedError: 2 }[String(error._tag)] ?? 1
            assert.isAtMost(place.requests(), most)
            if (expected === row.outcome && !isDerived) {
              assert.include(error.message, row.says ?? "")
            }
            assert.include(error.message, place.baseUrl)
            const says = expected === "unknown" ? "may have been applied" : "was not applied"
            assert.include(error.message, says)
            assert.notMatch(error.message, /undefined|secret|token|\+229/)
          }).pipe(Effect.scoped)
        )
      )
    }
  })
}
