/**
 * The environment variables with which a program finds a sandbox.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../../Sandbox.js"

export const of = (sandbox: Sandbox.Service, page: Sandbox.Options["page"]) =>
  Effect.gen(function* () {
    const { client_id, client_secret } = yield* sandbox.credentials
    const [wallet] = yield* sandbox.wallets
    const variables: Readonly<Record<string, string>> = {
      MANILLA_BASE_URL: sandbox.baseUrl,
      MANILLA_AUTH_URL: sandbox.authUrl,
      MANILLA_CLIENT_ID: client_id,
      MANILLA_CLIENT_SECRET: Redacted.value(client_secret),
      MANILLA_ENVIRONMENT: "SANDBOX",
      MANILLA_PAGE_PARAMETER: page?.parameter ?? Sandbox.pageParameter,
      MANILLA_WALLET_ID: wallet?.id ?? ""
    }
    return variables
  })
