/**
 * One exchange: a request out, a status and a bounded body back. The only code that touches an
 * HTTP client.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

export interface Received {
  readonly status: number
  readonly retryAfter: string | undefined
  /** The bytes of the body, or why there are none. */
  readonly body: Uint8Array | "TooLarge" | Broken
}

/** No answer, or only a part of one. */
export interface Broken {
  readonly _tag: "Broken"
  readonly sent: boolean
  readonly code: string | undefined
}

export type Exchange = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<Received, Broken>

export const make = (client: HttpClient.HttpClient, bodyLimit: number): Exchange => {
  const guarded = client.pipe(
    // The client's own span would carry the URL and the headers.
    HttpClient.withTracerDisabledWhen(() => true),
    // Whatever ends the exchange, its connection is let go.
    HttpClient.withScope
  )
  return (request) =>
    guarded.execute(request).pipe(
      // A client that fails on statuses has an answer all the same.
      Effect.catchTag("ResponseError", (error) =>
        error.reason === "StatusCode" ? Effect.succeed(error.response) : Effect.fail(error)
      ),
      Effect.mapError(broken),
      Effect.flatMap((response) =>
        Effect.map(
          readBody(response.stream, response.headers["content-length"], bodyLimit),
          (body) => ({
            status: response.status,
            retryAfter: response.headers["retry-after"],
            body
          })
        )
      ),
      Effect.scoped,
      Effect.mapInputContext(withoutRedirects)
    )
}

/** Of Effect's clients only fetch follows redirects, and only fetch reads this. */
const withoutRedirects = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
    redirect: "manual"
  })

const readBody = (
  stream: Stream.Stream<Uint8Array, HttpClientError.ResponseError>,
  contentLength: string | undefined,
  limit: number
): Effect.Effect<Received["body"]> => {
  if (contentLength !== undefined && Number(contentLength) > limit) {
    return Effect.succeed("TooLarge")
  }
  const chunks: Array<Uint8Array> = []
  let size = 0
  return Stream.runForEachWhile(stream, (chunk) =>
    Effect.sync(() => {
      size += chunk.byteLength
      chunks.push(chunk)
      return size <= limit
    })
  ).pipe(
    Effect.match({
      onFailure: (error) => (error.reason === "EmptyBody" ? new Uint8Array() : broken(error)),
      onSuccess: () => (size > limit ? "TooLarge" : join(chunks, size))
    })
  )
}

const join = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

const broken = (error: HttpClientError.HttpClientError): Broken => {
  const codes = systemCodes(error.cause)
  return {
    _tag: "Broken",
    sent: !(
      error._tag === "RequestError" &&
      codes.length > 0 &&
      codes.every((code) => beforeSending.has(code))
    ),
    code: codes[0]
  }
}

/** Codes of connections that never came about. Anything else may have carried the request. */
const beforeSending: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/**
 * The system's codes at the root of an error: through its causes, and through every address that
 * was tried.
 */
const systemCodes = (cause: unknown, depth = 0): ReadonlyArray<string> => {
  if (depth > 5 || !Predicate.isRecord(cause)) return []
  if (Array.isArray(cause["errors"]) && cause["errors"].length > 0) {
    return cause["errors"].flatMap((inner) => systemCodes(inner, depth + 1))
  }
  const inner = systemCodes(cause["cause"], depth + 1)
  if (inner.length > 0) return inner
  return typeof cause["code"] === "string" ? [cause["code"]] : []
}
