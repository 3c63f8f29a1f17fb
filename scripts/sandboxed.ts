// The environment variables of a program that uses a sandbox.
import type * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** The settings of a program that uses another server in place of the sandbox, with any credentials. */
export const settingsOf = (url: string) => ({
  MANILLA_BASE_URL: url,
  MANILLA_AUTH_URL: url,
  MANILLA_CLIENT_ID: "id",
  MANILLA_CLIENT_SECRET: "secret",
  MANILLA_ENVIRONMENT: "SANDBOX"
})

/** The settings of a program that uses a sandbox. */
export const environmentOf = ({ authUrl, baseUrl, credentials }: Sandbox.Service) =>
  Effect.map(credentials, ({ client_id: clientId, client_secret: clientSecret }) => ({
    ...settingsOf(baseUrl),
    MANILLA_AUTH_URL: authUrl,
    MANILLA_CLIENT_ID: clientId,
    MANILLA_CLIENT_SECRET: Redacted.value(clientSecret)
  }))

/** Starts a sandbox, which ends with the scope. */
export const environment = Effect.flatMap(SandboxServer.make(), environmentOf)
