/**
 * Credentials and tokens.
 */
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as ControlApi from "../../ControlApi.js"
import type * as Sandbox from "../../Sandbox.js"
import * as use from "./use.js"

const withAddresses =
  ({ authUrl, baseUrl }: Sandbox.Service) =>
  ({ clientId, clientSecret }: Sandbox.Credentials) => ({
    client_id: clientId,
    client_secret: clientSecret,
    base_url: baseUrl,
    auth_url: authUrl
  })

export const access = HttpApiBuilder.group(ControlApi.api, "Access", (handlers) =>
  handlers
    .handle("credentials", () =>
      use.sandbox((sandbox) => Effect.map(sandbox.credentials, withAddresses(sandbox)))
    )
    .handle("rotateSecret", () =>
      use.sandbox((sandbox) => Effect.map(sandbox.rotateSecret, withAddresses(sandbox)))
    )
    .handle("revokeTokens", () => use.sandbox(({ revokeTokens }) => revokeTokens))
)
