/**
 * A service of scripted answers, and an operation of each replay class to call it with.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Identifier from "@manilla/core/Identifier"
import * as Operation from "@manilla/core/Operation"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Text from "@manilla/core/Text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const Thing = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  reference: Schema.optional(Schema.String)
})
const ThingReference = Identifier.reference("ThingReference")

export const reference = (text: string) => ThingReference.make(text)

const Body = Schema.Struct({
  name: Text.atMost(10),
  phone_number: Schema.optional(Text.atMost(32).pipe(Sensitive.mark)),
  otp_code: Schema.optional(Schema.NullOr(Text.atMost(32).pipe(Sensitive.mark)))
})

export const group = Operation.group("Things", {
  read: Operation.safe({
    method: "GET",
    path: "/things/:thing",
    summary: "Read a thing",
    access: "payments.read",
    pathParams: Schema.Struct({ thing: ThingReference }),
    success: Thing
  }),
  write: Operation.keyed({
    method: "POST",
    path: "/things",
    summary: "Write a thing",
    access: "payments.write",
    headers: Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }),
    payload: Body,
    success: Thing,
    key: { header: "idempotency-key" },
    checks: { members: [{ field: "name", as: "text" }] }
  }),
  writeOnce: Operation.once({
    method: "POST",
    path: "/links",
    summary: "Write a link",
    access: "payment_links.write",
    payload: Body,
    success: Thing,
    checks: { members: [{ field: "name", as: "text" }] }
  })
})

export const key = IdempotencyKey.make("order-42")
export const phone = "+2290161234567"

const bearer = (value: string): BearerTokens.BearerToken => ({
  value: Redacted.make(value),
  environment: "SANDBOX",
  scopes: ["payments.read", "payments.write"]
})

export const tokenText = "eyJhbGciOi.c2VjcmV0LXRva2Vu.Qm9keQ-2026"
export const token = bearer(tokenText)

/** A source that returns one token, or the result of `get`, and ignores refusals. */
export const tokens = (
  get: BearerTokens.Service["get"] = () => Effect.succeed(token),
  reject: BearerTokens.Service["reject"] = () => Effect.void
): BearerTokens.Service => ({ get, reject })

/** A source that returns its token `count` times, and then `then`. */
export const tokensFor = (
  count: number,
  then: BearerTokens.Service["get"]
): BearerTokens.Service => {
  let left = count
  return tokens((limitMillis) => (left-- > 0 ? Effect.succeed(token) : then(limitMillis)))
}

/** The reaction of the service to a request: a response, a lost connection, or silence. */
export type Reaction = Reflex | ((request: Received) => Effect.Effect<Reflex>)

export type Reflex =
  | {
      readonly status: number
      readonly body?: string | Uint8Array<ArrayBuffer>
      readonly headers?: Record<string, string>
    }
  | { readonly drop: string | undefined; readonly words?: string }
  | { readonly fails: "Encode" | "InvalidUrl" }
  | "silence"

/** A success with this data. */
export const answer = (
  data: unknown,
  status = 200,
  meta: unknown = { correlation_id: null }
): Reflex => ({ status, body: JSON.stringify({ success: true, data, meta }) })

export const success = answer({ id: "thing-1", status: "PENDING" }, 200, { correlation_id: "c-1" })

export const failure = (
  status: number,
  headers: Record<string, string> = {},
  error: Record<string, unknown> = { code: "SOME_CODE", message: "some words" }
): Reflex => ({
  status,
  headers,
  body: JSON.stringify({ success: false, data: { error }, meta: { correlation_id: "c-2" } })
})

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly atMillis: number
}

export interface Options extends Partial<Gateway.Options> {
  /** The prefix of tokens; a number follows. */
  readonly token?: string
  /** Where tokens come from instead. */
  readonly tokens?: BearerTokens.Service
  /** Changes the client before the gateway receives it. */
  readonly through?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}

/** Reacts to the first request with the first reaction, and so on; the last one repeats. */
export const make = (
  reactions: readonly [Reaction, ...Array<Reaction>],
  { token: prefix = "token-", tokens: others, through = identity, ...options }: Options = {}
) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const rejected: Array<string> = []
    const client = HttpClient.make((request, url) =>
      Effect.flatMap(Clock.currentTimeMillis, (atMillis) => {
        const reaction = reactions[Math.min(received.length, reactions.length - 1)] ?? "silence"
        const seen: Received = {
          method: request.method,
          url: url.href,
          headers: request.headers,
          body:
            request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "",
          atMillis
        }
        received.push(seen)
        return typeof reaction === "function"
          ? Effect.flatMap(reaction(seen), (reflex) => react(request, reflex))
          : react(request, reaction)
      })
    )
    let current = bearer(`${prefix}0`)
    const renewed = tokens(
      () => Effect.succeed(current),
      (refused) =>
        Effect.sync(() => {
          rejected.push(Redacted.value(refused.value))
          current = bearer(`${prefix}${rejected.length}`)
        })
    )
    const gateway = yield* Gateway.make(
      { baseUrl: "https://service.invalid/api/v1", ...options },
      others ?? renewed
    ).pipe(Effect.provideService(HttpClient.HttpClient, through(client)))
    return { calls: gateway.calls(group), gateway, received, rejected }
  })

const react = (request: HttpClientRequest.HttpClientRequest, reaction: Reflex) => {
  if (reaction === "silence") return Effect.never
  if ("fails" in reaction) {
    return Effect.fail(new HttpClientError.RequestError({ request, reason: reaction.fails }))
  }
  if ("drop" in reaction) {
    return Effect.fail(
      new HttpClientError.RequestError({
        request,
        reason: "Transport",
        cause: new TypeError("fetch failed", {
          cause: Object.assign(new Error(reaction.words ?? "system"), {
            code: reaction.drop,
            syscall: reaction.drop === "ECONNREFUSED" ? "connect" : "read"
          })
        })
      })
    )
  }
  return Effect.succeed(
    HttpClientResponse.fromWeb(
      request,
      new Response(reaction.status === 204 ? null : (reaction.body ?? null), {
        status: reaction.status,
        headers: reaction.headers ?? {}
      })
    )
  )
}

/** The calls of the operations over whichever client there is, to a server at this URL. */
export const callsAt = (baseUrl: string, options: Partial<Gateway.Options> = {}) =>
  Effect.map(Gateway.make({ baseUrl, ...options }, tokens()), (gateway) => gateway.calls(group))

/** The names of the invalid fields in an error. */
export const fieldsOf = ({
  issues
}: {
  readonly issues: ReadonlyArray<{ readonly field: string }>
}): ReadonlyArray<string> => issues.map(({ field }) => field)

export const calls = {
  read: { path: { thing: reference("thing-1") } },
  write: { headers: { "idempotency-key": key }, payload: { name: "a thing", phone_number: phone } },
  writeOnce: { payload: { name: "a thing", phone_number: phone } }
} as const
