// The environment variables of a program that uses a new sandbox.
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Starts a sandbox, which ends with the scope. */
export const environment = Effect.gen(function* () {
  const { authUrl, baseUrl, credentials } = yield* SandboxServer.make()
  const { client_id: clientId, client_secret: clientSecret } = yield* credentials
  return {
    MANILLA_BASE_URL: baseUrl,
    MANILLA_AUTH_URL: authUrl,
    MANILLA_CLIENT_ID: clientId,
    MANILLA_CLIENT_SECRET: Redacted.value(clientSecret),
    MANILLA_ENVIRONMENT: "SANDBOX"
  }
})
