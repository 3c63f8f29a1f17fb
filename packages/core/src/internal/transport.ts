/**
 * One exchange: a request out, a status and a bounded body back. The only code that touches an
 * HTTP client.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Channel from "effect/Channel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import * as unforeseen from "./unforeseen.js"

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
    Effect.flatMap(Scope.make(), (scopeOfBody) =>
      guarded.execute(request).pipe(
        // A client that fails on statuses has an answer all the same.
        Effect.catchTag("ResponseError", (error) =>
          error.reason === "StatusCode" ? Effect.succeed(error.response) : Effect.fail(error)
        ),
        Effect.mapError(broken),
        Effect.flatMap((response) =>
          Effect.map(
            Scope.extend(
              readBody(response.stream, response.headers["content-length"], bodyLimit),
              scopeOfBody
            ),
            (body) => ({
              status: response.status,
              retryAfter: response.headers["retry-after"],
              body
            })
          )
        ),
        Effect.scoped,
        // After the request: the end of a body that somebody cloned waits for the end of its clone.
        Effect.onExit((exit) => {
          const close = unforeseen.ignore(Scope.close(scopeOfBody, exit))
          const isRead = Exit.isSuccess(exit) && exit.value.body instanceof Uint8Array
          return isRead
            ? close
            : Effect.locally(Effect.forkDaemon(close), FiberRef.currentSupervisor, Supervisor.none)
        })
      )
    ).pipe(
      // A client that dies, or throws, may have sent the request first.
      unforeseen.orElse(() => Effect.fail(died)),
      Effect.mapInputContext(withoutRedirects)
    )
}

const died: Broken = { _tag: "Broken", sent: true, code: "CLIENT_DIED" }

/** Of Effect's clients only fetch follows redirects, and only fetch reads this. */
const withoutRedirects = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
    redirect: "manual"
  })

/**
 * The bytes of a body up to the limit. Its chunks are pulled by hand: to run a stream costs several
 * times what the rest of an exchange does.
 */
const readBody = (
  stream: Stream.Stream<Uint8Array, HttpClientError.ResponseError>,
  contentLength: string | undefined,
  limit: number
): Effect.Effect<Received["body"], never, Scope.Scope> => {
  const announced = Number(contentLength ?? 0)
  const chunks: Array<Uint8Array> = []
  let size = 0
  return Effect.gen(function* () {
    const pull = yield* Channel.toPull(Stream.toChannel(stream))
    for (;;) {
      const pulled = yield* pull
      if (Either.isLeft(pulled)) return join(chunks, size)
      for (const chunk of pulled.right) {
        if (!isBytes(chunk)) return died
        size += chunk.byteLength
        // The body is opened even if it announces too much: what is not opened is not let go.
        if (size > limit || announced > limit) return "TooLarge" as const
        chunks.push(chunk)
      }
    }
  }).pipe(
    Effect.catchAll((error) =>
      Effect.succeed(error.reason === "EmptyBody" ? new Uint8Array() : broken(error))
    )
  )
}

/** Of any realm. Other clients than Effect's may give text. */
const isBytes = (chunk: Uint8Array): boolean => chunk[Symbol.toStringTag] === "Uint8Array"

const join = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const [first] = chunks
  if (first instanceof Uint8Array && chunks.length === 1) return first
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

const broken = (error: HttpClientError.HttpClientError): Broken => {
  const failures = systemFailures(error.cause)
  return {
    _tag: "Broken",
    sent: !(
      error._tag === "RequestError" &&
      failures.length > 0 &&
      failures.every(isBeforeSending)
    ),
    code: failures[0]?.code
  }
}

interface SystemFailure {
  readonly code: string
  /** What the system was asked to do; absent where the error is the client's own. */
  readonly syscall: string | undefined
}

/**
 * Whether the connection never came about. The system reports the same codes of a connection that
 * was established and then lost, so what it was doing counts too. Anything in doubt may have carried
 * the request.
 */
const isBeforeSending = ({ code, syscall }: SystemFailure): boolean =>
  syscall === "connect" || syscall === "getaddrinfo" || beforeSending.has(code)

const beforeSending: ReadonlySet<string> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

/** The system's failures at the root of an error: through its causes, and every address tried. */
const systemFailures = (cause: unknown, depth = 0): ReadonlyArray<SystemFailure> => {
  if (depth > 5 || !Predicate.isRecord(cause)) return []
  const { code, errors, syscall } = cause
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.flatMap((inner) => systemFailures(inner, depth + 1))
  }
  const inner = systemFailures(cause["cause"], depth + 1)
  if (inner.length > 0) return inner
  return typeof code === "string"
    ? [{ code, syscall: typeof syscall === "string" ? syscall : undefined }]
    : []
}
