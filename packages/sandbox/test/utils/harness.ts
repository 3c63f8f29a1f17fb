/**
 * Requests to the sandbox without a client, for what no client would send.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as envelope from "../../src/internal/http/envelope.js"

export interface Raw {
  readonly method?: HttpMethod
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A raw body instead of JSON. */
  readonly text?: string
}

/** Sends a raw request, and returns the response with its text. */
export const send = (url: string, { body, headers = {}, method = "GET", text }: Raw) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const request = HttpClientRequest.make(method)(url).pipe(
      sent === undefined ? (same) => same : HttpClientRequest.bodyText(sent, "application/json"),
      HttpClientRequest.setHeaders(headers)
    )
    const response = yield* client.execute(request)
    return { status: response.status, headers: response.headers, text: yield* response.text }
  }).pipe(Effect.scoped)

export const decodeFailure = Schema.decodeUnknownSync(Schema.parseJson(envelope.Failure))

const Token = Schema.parseJson(
  Schema.Struct({ data: Schema.Struct({ access_token: Schema.String, scope: Schema.String }) })
)

/** The body of a token request with the current credentials. */
export const credentialsBody = Effect.gen(function* () {
  const { client_id: clientId, client_secret: clientSecret } = yield* (yield* Sandbox.Sandbox)
    .credentials
  return { client_id: clientId, client_secret: Redacted.value(clientSecret) }
})

export const tokenUrl = Effect.map(
  Sandbox.Sandbox,
  ({ authUrl }) => `${authUrl}/auth/application/token`
)

export const obtain = Effect.gen(function* () {
  const { text } = yield* send(yield* tokenUrl, { method: "POST", body: yield* credentialsBody })
  return (yield* Schema.decodeUnknown(Token)(text)).data
})

/** A request to the main gateway with a fresh token. */
export const sendAuthorised = (path: string, raw: Raw) =>
  Effect.gen(function* () {
    const { access_token } = yield* obtain
    const { baseUrl } = yield* Sandbox.Sandbox
    return yield* send(baseUrl + path, {
      ...raw,
      headers: { authorization: `Bearer ${access_token}`, ...raw.headers }
    })
  })
