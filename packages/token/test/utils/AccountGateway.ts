/**
 * An account gateway that issues `token-1`, `token-2`, …, or gives scripted responses, and a service
 * that responds to every other request.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Operation from "@manilla/core/Operation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const secret = "s3cr3t-of-the-vault/7Jq+9w=="

export const options = {
  authUrl: "https://accounts.invalid/api/v1",
  clientId: "app-42",
  clientSecret: Redacted.make(secret)
}

/** The operations of the service. */
export const group = Operation.group("Things", {
  list: Operation.safe({
    method: "GET",
    path: "/things",
    summary: "List things",
    access: "payments.read",
    success: Schema.Struct({})
  })
})

export interface Answer {
  readonly status?: number
  /** Members of the token. */
  readonly data?: Record<string, unknown>
  readonly delayMillis?: number
}

const envelope = (status: number, data: unknown, message: string) =>
  status === 200
    ? { success: true, data, meta: { correlation_id: null } }
    : { success: false, data: { error: { code: "NO", message } }, meta: {} }

export const make = (
  answers: (n: number) => Answer = () => ({}),
  service: (request: HttpClientRequest.HttpClientRequest) => number = () => 200
) => {
  const requests: Array<{ readonly atMillis: number; readonly body: unknown }> = []
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const respond = (status: number, data: unknown, message = "no") =>
        HttpClientResponse.fromWeb(
          request,
          new Response(JSON.stringify(envelope(status, data, message)), { status })
        )
      if (!url.pathname.endsWith("/auth/application/token")) return respond(service(request), {})
      const text =
        request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      requests.push({ atMillis: yield* Clock.currentTimeMillis, body: JSON.parse(text) })
      const n = requests.length
      const { data, delayMillis = 10, status = 200 } = answers(n)
      yield* Effect.sleep(delayMillis)
      const token = {
        access_token: `token-${n}`,
        expires_in: 3600,
        token_type: "Bearer",
        environment: "SANDBOX",
        scope: "payments.read payments.write",
        ...data
      }
      // A refusal repeats the secret.
      return respond(status, token, `no ${secret}`)
    })
  )
  return { client, requests }
}
