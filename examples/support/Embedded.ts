/**
 * A sandbox in this process: an HTTP server on a loopback port, and the configuration that points the
 * client at it.
 */
import { Sandbox, SandboxServer } from "@manilla/sandbox"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"

const configuration = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { authUrl, baseUrl, credentials } = yield* Sandbox.Sandbox
    const { client_id: clientId, client_secret: clientSecret } = yield* credentials
    const entries = new Map([
      ["MANILLA_BASE_URL", baseUrl],
      ["MANILLA_AUTH_URL", authUrl],
      ["MANILLA_CLIENT_ID", clientId],
      ["MANILLA_CLIENT_SECRET", Redacted.value(clientSecret)],
      ["MANILLA_ENVIRONMENT", "SANDBOX"],
      ["MANILLA_PAGE_PARAMETER", "page"]
    ])
    return Layer.setConfigProvider(
      ConfigProvider.orElse(ConfigProvider.fromMap(entries), () => ConfigProvider.fromEnv())
    )
  })
)

export const layer = (options: Sandbox.Options) =>
  Layer.provideMerge(configuration, SandboxServer.layer({ settleAfter: "1 second", ...options }))
