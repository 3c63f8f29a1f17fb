/**
 * The options with which `fetch` sends a request: not from a cache, and once on each runtime.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as FetchClient from "@manilla/core/FetchClient"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"

/** The module keeps its options, so each test imports it again. */
const optionsOf = Effect.promise(async () => {
  vi.resetModules()
  const { of } = await import("../src/internal/transport/fetchInit.js")
  return { read: of("GET"), write: of("POST") }
})

const sendsOnce = { redirect: "manual", cache: "no-store" } as const

const order = (one: string, other: string) => one.localeCompare(other, "en", { numeric: true })

describe("the options of fetch", () => {
  afterEach(() => vi.unstubAllGlobals())

  Test.effect("bypass caches, and do not follow redirects", function* () {
    assert.deepStrictEqual(yield* optionsOf, { read: sendsOnce, write: sendsOnce })
  })

  Test.effect("lack the cache where the runtime throws on it, as in old workerd", function* () {
    vi.stubGlobal("Request", function (_: string, init: RequestInit) {
      if (init.cache !== undefined) throw new Error("The 'cache' field is not implemented.")
    })
    const { read } = yield* optionsOf
    assert.deepStrictEqual(read, { redirect: "manual" })
  })

  Test.effect("give each write a connection of its own on Deno, from one client", function* () {
    const createHttpClient = vi.fn((options: object) => ({ options }))
    vi.stubGlobal("Deno", { createHttpClient })
    const { read, write } = yield* optionsOf
    assert.deepStrictEqual(read, sendsOnce)
    assert.deepStrictEqual<unknown>(write, {
      ...sendsOnce,
      client: { options: { poolMaxIdlePerHost: 0 } }
    })
    assert.strictEqual(createHttpClient.mock.calls.length, 1)
  })

  for (const [version, write] of [
    ["1.3.13", { ...sendsOnce, keepalive: false }],
    ["1.3.14", sendsOnce],
    ["1.4.5", sendsOnce]
  ] as const) {
    Test.effect(`give a write the connection that it needs on Bun ${version}`, function* () {
      vi.stubGlobal("Bun", { version, semver: { order } })
      assert.deepStrictEqual<unknown>(yield* optionsOf, { read: sendsOnce, write })
    })
  }
})

describe("the requests of the gateway", () => {
  const received: Array<RequestInit | undefined> = []
  const fetch: typeof globalThis.fetch = (_, init) => {
    received.push(init)
    return Promise.resolve(
      Response.json({ success: true, data: { id: "thing-1", status: "PENDING" } })
    )
  }
  const clients = {
    FetchClient: Layer.succeed(HttpClient.HttpClient, FetchClient.make(fetch)),
    "Effect's fetch client": FetchHttpClient.layer.pipe(
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch))
    )
  }
  for (const [name, client] of Object.entries(clients)) {
    it.effect(`bypass caches and follow no redirect over ${name}, whatever options it has`, () =>
      Effect.gen(function* () {
        received.length = 0
        const calls = yield* FakeService.callsAt("https://service.example/api/v1")
        yield* calls.read(FakeService.calls.read)
        yield* calls.write(FakeService.calls.write)
        const sent = received.map((init) => [init?.method, init?.cache, init?.redirect])
        assert.deepStrictEqual(sent, [
          ["GET", "no-store", "manual"],
          ["POST", "no-store", "manual"]
        ])
      }).pipe(
        Effect.provide(client),
        Effect.provideService(FetchHttpClient.RequestInit, {
          cache: "force-cache",
          redirect: "follow"
        })
      )
    )

    Test.over(client).effect(`leave no timer over ${name}`, function* () {
      const clock = new VirtualClock.VirtualClock()
      const calls = yield* FakeService.callsAt("https://service.example/api/v1")
      yield* clock.provide(calls.read(FakeService.calls.read))
      yield* clock.settle
      assert.isTrue(clock.isIdle())
    })
  }
})
