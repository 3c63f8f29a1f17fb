/**
 * One layer with the gateway and its token source.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, it } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Manilla from "@manilla/token/Manilla"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"

const settings = {
  MANILLA_BASE_URL: "https://api.example/api/v1",
  MANILLA_AUTH_URL: "https://accounts.example/api/v1",
  MANILLA_CLIENT_ID: "app_42",
  MANILLA_CLIENT_SECRET: "secret"
}

const group = Operation.group("Things", {
  read: Operation.safe({
    method: "GET",
    path: "/thing",
    summary: "Read the thing",
    access: "bearer",
    success: Schema.Struct({ id: Schema.String })
  })
})

const success = (data: unknown) => new Response(JSON.stringify({ success: true, data, meta: {} }))

/** A service that issues one token and responds to requests with that token. */
const service = HttpClient.make((request, url) =>
  Effect.sync(() =>
    HttpClientResponse.fromWeb(
      request,
      url.origin === "https://accounts.example"
        ? success({ access_token: "issued", token_type: "Bearer", environment: "SANDBOX" })
        : request.headers["authorization"] === "Bearer issued"
          ? success({ id: "thing-1" })
          : new Response(null, { status: 401 })
    )
  )
)

const layerWith = (given: Readonly<Record<string, string>>, client = service) =>
  Manilla.layerConfig().pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(given)))))
  )

it.effect("a single layer provides calls with tokens, from the configuration", () =>
  Effect.gen(function* () {
    const gateway = yield* Gateway.Gateway
    assert.deepStrictEqual(yield* gateway.calls(group).read({}), { id: "thing-1" })
  }).pipe(Effect.provide(layerWith(settings)))
)

it.effect("a call that ends while the account gateway is silent names its address", () =>
  Effect.gen(function* () {
    const gateway = yield* Gateway.Gateway
    const call = yield* Effect.fork(gateway.calls(group).read({}, { timeout: "900 millis" }))
    yield* TestClock.adjust("900 millis")
    const error = yield* Effect.flip(Fiber.join(call))
    assert.strictEqual(error._tag, "TokenUnavailableError")
    assert.include(error.message, "from https://accounts.example within 900 ms")
  }).pipe(
    Effect.provide(
      layerWith(
        settings,
        HttpClient.make(() => Effect.never)
      )
    )
  )
)

it.effect("the error names all missing settings", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.provide(Gateway.Gateway, layerWith({})))
    for (const name of Object.keys(settings)) assert.include(String(error), name)
  })
)
