/**
 * The in-process sandbox with the real clients, and helpers to send raw requests.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as Catalogue from "@manilla/catalogue/Catalogue"
import * as Envelope from "@manilla/core/Envelope"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import type * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxClient from "@manilla/sandbox/SandboxClient"
import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export const clients = (retry: Partial<RetryPolicy.RetryPolicy> = {}) =>
  Layer.mergeAll(Payments.layer, Catalogue.layer).pipe(
    Layer.provideMerge(SandboxGateway.layer({ retry }))
  )

export const layer = (
  options: Sandbox.Options = {},
  retry: Partial<RetryPolicy.RetryPolicy> = {}
) => clients(retry).pipe(Layer.provideMerge(SandboxClient.layer(options)))

export const phone = "+2290161234567"

export const collection: PaymentIntent.PaymentIntentRequest = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: phone }
}

export const key = IdempotencyKey.IdempotencyKey.make("order-42")

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

export const decodeFailure = Schema.decodeUnknownSync(Schema.parseJson(Envelope.Failure))

const Token = Schema.parseJson(
  Schema.Struct({ data: Schema.Struct({ access_token: Schema.String, scope: Schema.String }) })
)

/** The body of a token request with the current credentials. */
export const credentialsBody = Effect.gen(function* () {
  const { clientId, clientSecret } = yield* (yield* Sandbox.Sandbox).credentials
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
