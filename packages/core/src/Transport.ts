/**
 * The port between the gateway and the network: bytes out; status, headers and bounded bytes back. An
 * attempt ends in one of four values, and never fails.
 *
 * The gateway takes any `HttpClient`. One that was made from a transport, such as `UndiciClient`, is
 * used without the layers between.
 *
 * @since 0.1.0
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
import { join } from "./internal/bytes.js"
import * as timer from "./internal/timer.js"

/**
 * @since 0.1.0
 * @category symbols
 */
export const TypeId: unique symbol = Symbol.for("@manilla/core/Transport")

/**
 * One request, as it goes out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request {
  readonly method: "GET" | "POST"
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** Milliseconds for the whole exchange, the body of the answer included. */
  readonly timeoutMillis: number
  /** The most bytes of a body that are read, after decompression. */
  readonly bodyLimit: number
}

/**
 * The end of one attempt.
 *
 * | result     | meaning                                                        |
 * | ---------- | -------------------------------------------------------------- |
 * | `NotSent`  | no byte of the request left: certainly not applied             |
 * | `Lost`     | the connection broke after the request may have left           |
 * | `TimedOut` | no whole answer came in time                                   |
 * | `Answered` | a status, headers and a body, which may be over the limit      |
 *
 * @since 0.1.0
 * @category models
 */
export type Result = NotSent | Lost | TimedOut | Answered

/**
 * @since 0.1.0
 * @category models
 */
export interface NotSent {
  readonly _tag: "NotSent"
  /** The system's code, such as `ECONNREFUSED`. */
  readonly code: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Lost {
  readonly _tag: "Lost"
  /** The system's code, such as `ECONNRESET`; `CLIENT_DIED` when the `HttpClient` died. */
  readonly code: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface TimedOut {
  readonly _tag: "TimedOut"
  readonly afterMillis: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  /** By lower-case names. */
  readonly headers: Headers
  /** The bytes of the body; `TooLarge` over the limit; `Lost` if the connection broke within it. */
  readonly body: Uint8Array | "TooLarge" | Lost
}

/**
 * @since 0.1.0
 * @category models
 */
export type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/**
 * @since 0.1.0
 * @category models
 */
export interface Transport {
  /**
   * Sends a request once. Interrupting it aborts the request and frees its connection.
   */
  readonly send: (request: Request) => Effect.Effect<Result>
}

/**
 * The transport of an `HttpClient`: its own, if it was made from one; else one that runs the client in
 * a fiber with a deadline, and reads the body up to the limit.
 *
 * The client must neither retry nor follow redirects; otherwise a payment may be sent twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromHttpClient = (client: HttpClient.HttpClient): Transport =>
  Predicate.hasProperty(client, TypeId) && isTransport(client[TypeId])
    ? client[TypeId]
    : overHttpClient(client)

const isTransport = (value: unknown): value is Transport =>
  Predicate.hasProperty(value, "send") && Predicate.isFunction(value.send)

/**
 * An `HttpClient` on a transport, for everything else that an application does with one. It takes
 * bodies of bytes. The gateway finds the transport on it; a client that is derived from this one, as by
 * `HttpClient.mapRequest`, is used as any other client is.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toHttpClient = (transport: Transport): HttpClient.HttpClient => {
  const client = HttpClient.make((request, url, _, fiber) => {
    const { body, method } = request
    if (
      (method !== "GET" && method !== "POST") ||
      (body._tag !== "Empty" && body._tag !== "Uint8Array")
    ) {
      const description = "this client sends GET and POST requests with bodies of bytes"
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
  if (result._tag === "Answered" && result.body === "TooLarge") {
    const { headers, status } = result
    const response = HttpClientResponse.fromWeb(request, webResponse(null, status, headers))
    return Effect.fail(
      new HttpClientError.ResponseError({ request, response, reason: "Decode", cause: tooLarge })
    )
  }
  if (result._tag !== "Answered" || !(result.body instanceof Uint8Array)) {
    const cause = Object.assign(new Error(result._tag), {
      code: result._tag === "NotSent" || result._tag === "Lost" ? result.code : undefined,
      ...(result._tag === "NotSent" ? { syscall: "connect" } : {})
    })
    return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
  }
  const { body, headers, status } = result
  return Effect.succeed(
    HttpClientResponse.fromWeb(request, webResponse(body.slice(), status, headers))
  )
}

const pairsOf = (headers: Headers): Array<[string, string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one])
  )

/** `Response` itself refuses statuses above 599, and bodies of some. */
const webResponse = (body: Uint8Array<ArrayBuffer> | null, status: number, headers: Headers) =>
  Object.defineProperty(new Response(body, { headers: pairsOf(headers) }), "status", {
    value: status
  })

/** The gateway's limit, for a client that is derived from one with a transport. */
class BodyLimit extends Context.Reference<BodyLimit>()("@manilla/core/Transport/BodyLimit", {
  defaultValue: () => Infinity
}) {}

const tooLarge = new Error("the body is over the limit")

const overHttpClient = (client: HttpClient.HttpClient): Transport => {
  const guarded = client.pipe(
    // The client's own span would carry the URL and the headers.
    HttpClient.withTracerDisabledWhen(() => true),
    // Closing the scope aborts the request and frees its connection.
    HttpClient.withScope
  )
  const exchange = (request: Request, scope: Scope.CloseableScope): Effect.Effect<Result> =>
    guarded.execute(toClientRequest(request)).pipe(
      Scope.extend(scope),
      // A client that fails on statuses has an answer all the same.
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
      // To abort what has ended makes an exception with a stack, which costs more than the rest.
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

/** Whether the answer was read to its end: then its connection is free. */
const isRead = (exit: Exit.Exit<Result>): boolean =>
  Exit.isSuccess(exit) && exit.value._tag === "Answered" && exit.value.body instanceof Uint8Array

const toClientRequest = ({ body, headers, method, origin, path }: Request) =>
  HttpClientRequest.make(method)(origin + path, {
    headers,
    ...(body === undefined ? {} : { body: HttpBody.uint8Array(body, "application/json") })
  })

const died: Lost = { _tag: "Lost", code: "CLIENT_DIED" }

/**
 * Runs an exchange in a fiber of its own until the deadline. A client that dies may have sent the
 * request first.
 */
const withDeadline = (millis: number, exchange: Effect.Effect<Result>): Effect.Effect<Result> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(exchange)), (child) =>
      Effect.onInterrupt(
        restore(
          Effect.withFiberRuntime<Result>((fiber) =>
            Effect.async((resume) => {
              const cancel = timer.schedule(fiber, millis, () => {
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

/** Of Effect's clients only fetch follows redirects, and only fetch reads this. */
const withoutRedirects = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
    redirect: "manual"
  })

/** The bytes of a body: at once if they are announced and few enough, else chunk by chunk. */
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

/** Counted all the same: a client may give more than was announced. */
const wholeBody = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.map(response.arrayBuffer, (buffer): Uint8Array | "TooLarge" =>
    buffer.byteLength > limit ? "TooLarge" : new Uint8Array(buffer)
  )

/** Pulled by hand: to run a stream costs several times what the rest of an exchange does. */
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
        // A client may produce any value.
        if (!(chunk instanceof Uint8Array)) return died
        size += chunk.byteLength
        // A body is opened even if it announces too much: one that is not opened is not freed.
        if (size > limit || announced > limit) return "TooLarge" as const
        chunks.push(chunk)
      }
    }
  })

const broken = (error: HttpClientError.HttpClientError): NotSent | Lost => {
  const failures = systemFailures(error.cause)
  const isNotSent =
    error._tag === "RequestError" && failures.length > 0 && failures.every(isBeforeSending)
  return { _tag: isNotSent ? "NotSent" : "Lost", code: failures[0]?.code }
}

interface SystemFailure {
  readonly code: string
  /** The system call that failed; absent where the error is the client's own. */
  readonly syscall: string | undefined
}

/**
 * Whether no connection came about. The system reports the same codes of a connection that was
 * established and then lost, so the system call counts too. Anything in doubt may have carried the
 * request.
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
