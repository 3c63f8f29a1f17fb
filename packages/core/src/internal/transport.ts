/**
 * The transport between the gateway and the network. It sends a request once and returns one of four
 * results; it never fails.
 *
 * The gateway accepts any `HttpClient`. If a client was made from a transport, as `UndiciClient` is,
 * the gateway uses that transport directly.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Channel from "effect/Channel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { schedule } from "./fiber.js"

/** The property of an `HttpClient` that holds the transport it was made from. */
const TypeId: unique symbol = Symbol.for("@manilla/core/Transport")

/** One request. */
export interface Request {
  readonly method: "GET" | "POST"
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** The timeout of the exchange, including the response body, in milliseconds. */
  readonly timeoutMillis: number
  /** The maximum size of the response body after decompression, in bytes. */
  readonly bodyLimit: number
}

/** The result of one attempt. */
export type Result = NotSent | Lost | TimedOut | Answered

/** No byte of the request was sent, so it was not applied. */
export interface NotSent {
  readonly _tag: "NotSent"
  /** The system's error code, such as `ECONNREFUSED`. */
  readonly code: string | undefined
}

/** The connection was lost after the request may have been sent. */
export interface Lost {
  readonly _tag: "Lost"
  /** The system's error code, such as `ECONNRESET`; `CLIENT_DIED` if the `HttpClient` died. */
  readonly code: string | undefined
}

/** No complete response arrived within the timeout. The request may have been sent. */
export interface TimedOut {
  readonly _tag: "TimedOut"
  readonly afterMillis: number
}

/** The service, or a proxy, responded. */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Headers
  /** The body; `TooLarge` if it exceeds the limit; `Lost` if the connection was lost while reading. */
  readonly body: Uint8Array | "TooLarge" | Lost
}

/** The headers of a response, with names in lower case. */
export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Sends requests. It must not retry or follow redirects. */
export interface Transport {
  /** Sends a request once. Interruption aborts the request and releases its connection. */
  readonly send: (request: Request) => Effect.Effect<Result>
}

/**
 * Makes a transport from an `HttpClient`, or returns the transport that the client was made from.
 *
 * Use a client that does not retry or follow redirects; otherwise a payment may be sent twice.
 */
export const fromHttpClient = (client: HttpClient.HttpClient): Transport =>
  Predicate.hasProperty(client, TypeId) && isTransport(client[TypeId])
    ? client[TypeId]
    : overHttpClient(client)

const isTransport = (value: unknown): value is Transport =>
  Predicate.hasProperty(value, "send") && Predicate.isFunction(value.send)

/**
 * Makes an `HttpClient` from a transport. It sends GET and POST requests with empty or `Uint8Array`
 * bodies. The gateway uses the transport directly, unless the client was changed, for example by
 * `HttpClient.mapRequest`.
 */
export const toHttpClient = (transport: Transport): HttpClient.HttpClient => {
  const client = HttpClient.make((request, url, _, fiber) => {
    const { body, method } = request
    if (
      (method !== "GET" && method !== "POST") ||
      (body._tag !== "Empty" && body._tag !== "Uint8Array")
    ) {
      const description = "this client sends GET and POST requests with Uint8Array bodies"
      return Effect.fail(
        new HttpClientError.RequestError({ request, reason: "Encode", description })
      )
    }
    return Effect.flatMap(
      transport.send({
        method,
        origin: url.origin,
        path: url.pathname + url.search,
        headers:
          body._tag === "Empty"
            ? request.headers
            : { ...request.headers, "content-type": body.contentType },
        body: body._tag === "Empty" ? undefined : body.body,
        timeoutMillis: Infinity,
        bodyLimit: Context.get(fiber.getFiberRef(FiberRef.currentContext), BodyLimit)
      }),
      (result) => toResponse(request, result)
    )
  })
  return Object.assign(client, { [TypeId]: transport })
}

const toResponse = (
  request: HttpClientRequest.HttpClientRequest,
  result: Result
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
  if (result._tag !== "Answered") {
    const syscall = result._tag === "NotSent" ? { syscall: "connect" } : {}
    const cause = Object.assign(failureOf(result), syscall)
    return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
  }
  const { body, headers, status } = result
  const respond = (content: Parameters<typeof webResponse>[0]) =>
    HttpClientResponse.fromWeb(request, webResponse(content, status, headers))
  if (body === "TooLarge") {
    const response = respond(null)
    return Effect.fail(
      new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: tooLarge })
    )
  }
  return Effect.succeed(
    respond(body instanceof Uint8Array ? body.slice() : brokenStream(failureOf(body)))
  )
}

const failureOf = (result: NotSent | Lost | TimedOut): Error =>
  Object.assign(new Error(result._tag), { code: "code" in result ? result.code : undefined })

/** The body of a response whose status arrived, and which was lost later. */
const brokenStream = (error: Error): ReadableStream =>
  new ReadableStream({ start: (controller) => controller.error(error) })

const pairsOf = (headers: Headers): Array<[string, string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((text): [string, string] => [name, text])
  )

/** The `Response` constructor rejects statuses above 599, and bodies for some statuses. */
const webResponse = (
  body: Uint8Array<ArrayBuffer> | ReadableStream | null,
  status: number,
  headers: Headers
) =>
  Object.defineProperty(new Response(body, { headers: pairsOf(headers) }), "status", {
    value: status
  })

/** The gateway's body limit, for a client derived from one with a transport. */
class BodyLimit extends Context.Reference<BodyLimit>()("@manilla/core/Transport/BodyLimit", {
  defaultValue: () => Infinity
}) {}

const tooLarge = new Error("the response body exceeds the limit")

const overHttpClient = (client: HttpClient.HttpClient): Transport => {
  const guarded = client.pipe(
    // The client's own span would contain the URL and the headers.
    HttpClient.withTracerDisabledWhen(() => true),
    // Closing the scope aborts the request and releases its connection.
    HttpClient.withScope
  )
  const exchange = (request: Request, scope: Scope.CloseableScope): Effect.Effect<Result> =>
    guarded.execute(toClientRequest(request)).pipe(
      Scope.extend(scope),
      // A client that fails on error statuses has a response as well.
      Effect.catchTag("ResponseError", (error) =>
        error.reason === "StatusCode" ? Effect.succeed(error.response) : Effect.fail(error)
      ),
      Effect.flatMap((response) =>
        Effect.map(readBody(response, request.bodyLimit), (body): Result => ({
          _tag: "Answered",
          status: response.status,
          headers: response.headers,
          body
        }))
      ),
      Effect.catchAll((error) =>
        Effect.succeed<Result>(
          error._tag === "ResponseError" && error.cause === tooLarge
            ? {
                _tag: "Answered",
                status: error.response.status,
                headers: error.response.headers,
                body: "TooLarge"
              }
            : broken(error)
        )
      ),
      Effect.scoped,
      // Aborting a finished request creates an error with a stack trace, which is slow.
      Effect.onExit((exit) => (isRead(exit) ? Effect.void : Scope.close(scope, exit))),
      Effect.mapInputContext((context: Context.Context<never>) =>
        Context.add(withoutRedirects(context), BodyLimit, request.bodyLimit)
      )
    )
  return {
    send: (request) =>
      withDeadline(
        request.timeoutMillis,
        Effect.flatMap(Scope.make(), (scope) => exchange(request, scope))
      )
  }
}

/** Whether the response was read completely, so that its connection is released. */
const isRead = (exit: Exit.Exit<Result>): boolean =>
  Exit.isSuccess(exit) && exit.value._tag === "Answered" && exit.value.body instanceof Uint8Array

const toClientRequest = ({ body, headers, method, origin, path }: Request) =>
  HttpClientRequest.make(method)(origin + path, {
    headers,
    ...(body === undefined ? {} : { body: HttpBody.uint8Array(body, "application/json") })
  })

const died: Lost = { _tag: "Lost", code: "CLIENT_DIED" }

/** Runs an exchange in its own fiber with a timeout. A client may die after it sent the request. */
const withDeadline = (millis: number, exchange: Effect.Effect<Result>): Effect.Effect<Result> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(exchange)), (child) =>
      Effect.onInterrupt(
        restore(
          Effect.withFiberRuntime<Result>((fiber) =>
            Effect.async((resume) => {
              const cancel = schedule(fiber, millis, () => {
                child.unsafeInterruptAsFork(FiberId.none)
                resume(Effect.succeed({ _tag: "TimedOut", afterMillis: millis }))
              })
              child.addObserver((exit) => {
                cancel()
                resume(Effect.succeed(Exit.getOrElse(exit, () => died)))
              })
            })
          )
        ),
        () => Fiber.interrupt(child)
      )
    )
  )

/** Only the fetch client follows redirects, and only it reads this setting. */
const withoutRedirects = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
    redirect: "manual"
  })

/** Reads a body: at once if `content-length` is within the limit, otherwise chunk by chunk. */
const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<Answered["body"], never, Scope.Scope> => {
  const { "content-encoding": encoding = "identity", "content-length": announced } =
    response.headers
  const isBounded =
    encoding === "identity" && /^\d+$/.test(announced ?? "") && Number(announced) <= limit
  return (isBounded ? wholeBody(response, limit) : pulledBody(response, limit)).pipe(
    Effect.catchAll((error) =>
      Effect.succeed(
        error.reason === "EmptyBody"
          ? new Uint8Array()
          : { _tag: "Lost" as const, code: systemFailures(error.cause)[0]?.code }
      )
    )
  )
}

/** Checks the size again: a client may return more than `content-length`. */
const wholeBody = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.map(response.arrayBuffer, (buffer): Uint8Array | "TooLarge" =>
    buffer.byteLength > limit ? "TooLarge" : new Uint8Array(buffer)
  )

/** Pulls the chunks directly: running a stream is several times slower than the rest of an exchange. */
const pulledBody = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.gen(function* () {
    const announced = Number(response.headers["content-length"] ?? 0)
    const chunks: Array<Uint8Array> = []
    let size = 0
    const pull = yield* Channel.toPull(Stream.toChannel(response.stream))
    for (;;) {
      const pulled = yield* pull
      if (Either.isLeft(pulled)) return join(chunks, size)
      for (const chunk of pulled.right) {
        // A client may emit other values in spite of its types.
        if (!(chunk instanceof Uint8Array)) return died
        size += chunk.byteLength
        // After a read, even if `content-length` exceeds the limit: an unread body keeps its connection.
        if (size > limit || announced > limit) return "TooLarge" as const
        chunks.push(chunk)
      }
    }
  })

/** Concatenates chunks of `size` bytes in total. */
export const join = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
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

const broken = (error: HttpClientError.HttpClientError): NotSent | Lost => {
  const failures = systemFailures(error.cause)
  const isNotSent =
    error._tag === "RequestError" && failures.length > 0 && failures.every(isBeforeSending)
  return { _tag: isNotSent ? "NotSent" : "Lost", code: failures[0]?.code }
}

interface SystemFailure {
  readonly code: string
  /** The system call that failed; absent for the client's own errors. */
  readonly syscall: string | undefined
}

/**
 * Whether no connection was established. The system reports the same codes for an established
 * connection that is lost later, so the system call decides. In doubt, the request may have been sent.
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

/** The system errors at the root of an error, with one for each address that was tried. */
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
