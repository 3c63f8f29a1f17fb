/**
 * A small shop to copy, which runs until you stop it. It uses the service at MANILLA_BASE_URL, or else a sandbox in
 * this process.
 */
import { HttpServer } from "@effect/platform"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payments } from "@manilla/payments"
import { Sandbox, SandboxServer } from "@manilla/sandbox"
import { Manilla } from "@manilla/token"
import { Config, ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import { createServer } from "node:http"
import * as Server from "./Server.js"

const http = NodeHttpServer.layerConfig(createServer, {
  port: Config.withDefault(Config.integer("PORT"), 3000),
  host: Config.withDefault(Config.nonEmptyString("HOST"), "127.0.0.1")
})

const shop = HttpServer.withLogAddress(Server.layer).pipe(
  Layer.provide(http),
  Layer.provide(Payments.layer),
  Layer.provide(Manilla.layerConfig()),
  Layer.provide(UndiciClient.layer)
)

/** The sandbox keeps its state in a file, as the shop does. The environment overrides its settings. */
const sandbox = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { authUrl, baseUrl, credentials } = yield* Sandbox.Sandbox
    const { client_id, client_secret } = yield* credentials
    yield* Effect.log(
      `The sandbox, with all requests, faults and money: ${new URL(baseUrl).origin}`
    )
    const settings = ConfigProvider.fromJson({
      MANILLA_BASE_URL: baseUrl,
      MANILLA_AUTH_URL: authUrl,
      MANILLA_CLIENT_ID: client_id,
      MANILLA_CLIENT_SECRET: Redacted.value(client_secret),
      MANILLA_ENVIRONMENT: "SANDBOX",
      SHOP_UNPAID_STATUSES: ["FAILED", "CANCELLED", "REJECTED", "EXPIRED"]
    })
    return Layer.setConfigProvider(ConfigProvider.orElse(ConfigProvider.fromEnv(), () => settings))
  })
).pipe(Layer.provide(SandboxServer.layer({ data: "sandbox.data", settleAfter: "8 seconds" })))

Effect.gen(function* () {
  const service = yield* Config.option(Config.string("MANILLA_BASE_URL"))
  return yield* Layer.launch(Option.isSome(service) ? shop : Layer.provide(shop, sandbox))
}).pipe(NodeRuntime.runMain)
