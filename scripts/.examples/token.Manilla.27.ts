import * as Manilla from "@manilla/token/Manilla"
import * as Redacted from "effect/Redacted"

const gateway = Manilla.layer({
  gateway: { baseUrl: "https://api.example/api/v1" },
  token: {
    authUrl: "https://accounts.example/api/v1",
    clientId: "app_42",
    clientSecret: Redacted.make("from your vault")
  }
})
