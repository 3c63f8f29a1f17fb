import * as Token from "@manilla/token/Token"
import * as Redacted from "effect/Redacted"

const tokens = Token.layer({
  authUrl: "https://accounts.example/api/v1",
  clientId: "app_42",
  clientSecret: Redacted.make("from your vault"),
  environment: "LIVE"
})
