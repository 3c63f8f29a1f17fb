// The same program with payments and a token source.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Token from "@manilla/token/Token"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Program from "./payments.js"

export { collect, status } from "./payments.js"

export const live = Program.payments.pipe(
  Layer.provide(
    Token.layer({
      authUrl: "https://example.com/api/v1",
      clientId: "client",
      clientSecret: Redacted.make("secret")
    })
  ),
  Layer.provide(FetchHttpClient.layer)
)
