/**
 * One layer with the gateway and its token source.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import { assert } from "@effect/vitest"
import * as Gateway from "@manilla/core/Gateway"
import * as Test from "@manilla/test-support/Test"
import * as Manilla from "@manilla/token/Manilla"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as AccountGateway from "./utils/AccountGateway.js"

const settings = {
  MANILLA_BASE_URL: "https://api.example/api/v1",
  MANILLA_AUTH_URL: "https://accounts.example/api/v1",
  MANILLA_CLIENT_ID: "app_42",
  MANILLA_CLIENT_SECRET: "secret"
}

/** Issues a token, and responds to requests with that token. */
const { client } = AccountGateway.make(undefined, ({ headers }) =>
  headers["authorization"] === "Bearer token-1" ? 200 : 401
)

const layerWith = (given: Readonly<Record<string, string>>, over = client) =>
  Manilla.layerConfig().pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, over)),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(given)))))
  )

Test.over(layerWith(settings)).effect(
  "a single layer provides calls with tokens, from the configuration",
  function* () {
    const { list } = (yield* Gateway.Gateway).calls(AccountGateway.group)
    assert.deepStrictEqual(yield* Elapsed.during(10, list({})), {})
  }
)

Test.over(
  layerWith(
    settings,
    HttpClient.make(() => Effect.never)
  )
).effect("a call that ends while the account gateway is silent names its address", function* () {
  const { list } = (yield* Gateway.Gateway).calls(AccountGateway.group)
  const call = list({}, { timeout: "900 millis" })
  const error = yield* Elapsed.during("900 millis", Effect.flip(call))
  assert.strictEqual(error._tag, "TokenUnavailableError")
  assert.include(error.message, "from https://accounts.example within 900 ms")
})

Test.effect("the error names all missing settings", function* () {
  const error = yield* Effect.flip(Effect.provide(Gateway.Gateway, layerWith({})))
  for (const name of Object.keys(settings)) assert.include(String(error), name)
})
