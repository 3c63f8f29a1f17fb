/**
 * Transports over an `HttpClient`, and the reverse. The gateway accepts any `HttpClient`. If a client was
 * made from a transport, as `UndiciClient` is, the gateway uses that transport directly.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as fetchInit from "./fetchInit.js"
import { contextOf, within } from "../wait/fiber.js"
import * as unconnected from "./unconnected.js"
import { died, failed, isBounded, join, lost } from "./transport.js"
import type {
  Answered,
  Headers,
  Lost,
  NotSent,
  HttpRequest,
  Result,
  TimedOut,
  Transport
} from "./transport.js"

/**
 * Makes a transport from an `HttpClient`, or returns the transport that the client was made from.
 *
 * Use a client that does not retry or follow redirects; otherwise a payment may be sent twice.
 */
export const fromHttpClient = (client: HttpClient.HttpClient): Transport =>
  transports.get(client) ?? overHttpClient(client)

/** The transports of the clients that were made from one. */
const transports = new WeakMap<HttpClient.HttpClient, Transport>()

/**
 * Makes an `HttpClient` from a transport. It sends GET and POST requests with empty or `Uint8Array`
 * bodies. The gateway uses the transport directly, unless the client was changed, for example by
 * `HttpClient.mapRequest`.
 */
export const toHttpClient = (transport: Transport): HttpClient.HttpClient => {
  const client = HttpClient.make((request, url, _, fiber) => {
    const { body, method } = request
    // `fetch` sets it itself, and fails if there are two.
    const { "content-length": _length, ...headers } = request.headers
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
        headers: body._tag === "Empty" ? headers : { ...headers, "content-type": body.contentType },
        body: body._tag === "Empty" ? undefined : body.body,
        timeoutMillis: Infinity,
        bodyLimit: Context.get(contextOf(fiber), BodyLimit)
      }),
      (result) => toResponse(request, result)
    )
  })
  transports.set(client, transport)
  return client
}

const toResponse = (
  request: HttpClientRequest.HttpClientRequest,
  result: Result
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
  if (result._tag !== "Answered") {
    const cause = failureOf(result)
    return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
  }
  const { body, headers, status } = result
  const content =
    body instanceof Uint8Array
      ? body.slice()
      : brokenStream(body === "TooLarge" ? tooLarge : failureOf(body))
  return Effect.succeed(HttpClientResponse.fromWeb(request, webResponse(content, status, headers)))
}

/** An error that is read as the same result again. */
const failureOf = (result: NotSent | Lost | TimedOut): Error => {
  if (result._tag === "TimedOut") return new Error("no response in time")
  const { _tag, code, reason } = result
  return Object.assign(
    new Error(reason ?? "the connection was lost"),
    code === undefined ? {} : { code },
    _tag === "NotSent" ? { syscall: "connect" } : {}
  )
}

/** A body that fails: it was lost after its status arrived, or is too large. */
const brokenStream = (error: Error): ReadableStream =>
  new ReadableStream({ start: (controller) => controller.error(error) })

const pairsOf = (headers: Headers): Array<[string, string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((text): [string, string] => [name, text])
  )

/** The `Response` constructor rejects statuses above 599, and bodies for some statuses. */
const webResponse = (
  body: Uint8Array<ArrayBuffer> | ReadableStream,
  status: number,
  headers: Headers
) =>
  Object.defineProperty(new Response(body, { headers: pairsOf(headers) }), "status", {
    value: status
  })

/** The gateway's body limit, for a client derived from one with a transport. */
class BodyLimit extends Context.Reference<BodyLimit>()("@manilla/core/BodyLimit", {
  defaultValue: () => Infinity
}) {}

const tooLarge = new Error("the response body exceeds the limit")

const overHttpClient = (client: HttpClient.HttpClient): Transport => {
  unconnected.watch()
  const guarded = client.pipe(
    // The client's own span would contain the URL and the headers.
    HttpClient.withTracerDisabledWhen(() => true),
    // Closing the scope aborts the request and releases its connection.
    HttpClient.withScope
  )
  const exchange = (request: HttpRequest): Effect.Effect<Result> =>
    Effect.suspend(() => guarded.execute(toClientRequest(request))).pipe(
      // A client that fails on error statuses has a response as well.
      Effect.catchAll((error) =>
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
      Effect.catchAll(({ _tag, cause }) =>
        Effect.succeed(_tag === "RequestError" ? failed(cause) : lost(cause))
      ),
      Effect.scoped,
      Effect.mapInputContext((context: Context.Context<never>) =>
        Context.add(forFetch(context, request.method), BodyLimit, request.bodyLimit)
      )
    )
  return {
    send: (request) =>
      Effect.map(within(request.timeoutMillis, exchange(request)), (exit) => {
        if (exit === undefined) return { _tag: "TimedOut", afterMillis: request.timeoutMillis }
        return Exit.isSuccess(exit) ? exit.value : died(Cause.squash(exit.cause))
      })
  }
}

const toClientRequest = ({ body, headers, method, origin, path }: HttpRequest) =>
  HttpClientRequest.make(method)(origin + path, {
    headers,
    ...(body === undefined ? {} : { body: toClientBody(body) })
  })

const toClientBody = (body: string | Uint8Array) =>
  typeof body === "string"
    ? HttpBody.text(body, "application/json")
    : HttpBody.uint8Array(body, "application/json")

/** Only the fetch client follows redirects and uses caches, and only it reads these settings. */
const forFetch = (
  context: Context.Context<never>,
  method: HttpRequest["method"]
): Context.Context<never> =>
  Context.add(context, FetchHttpClient.RequestInit, {
    ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
    ...fetchInit.of(method)
  })

/** Reads a body: at once if its size is known, otherwise chunk by chunk up to the limit. */
const readBody = (
  response: HttpClientResponse.HttpClientResponse,
  limit: number
): Effect.Effect<Answered["body"]> => {
  const { "content-encoding": encoding, "content-length": length } = response.headers
  const read: Effect.Effect<Answered["body"], "TooLarge" | HttpClientError.ResponseError> =
    isBounded(encoding, length, limit)
      ? Effect.map(response.arrayBuffer, (buffer) => checked(limit, new Uint8Array(buffer)))
      : readChunks(response, Number(length ?? 0) > limit ? 0 : limit)
  return read.pipe(
    Effect.catchAll((error) =>
      Effect.succeed(
        error === "TooLarge" || error.cause === tooLarge
          ? ("TooLarge" as const)
          : error.reason === "EmptyBody"
            ? new Uint8Array()
            : lost(error.cause)
      )
    )
  )
}

/** Checks the size again: a client may return more than `content-length`. */
const checked = (limit: number, body: Uint8Array): Uint8Array | "TooLarge" =>
  body.byteLength > limit ? "TooLarge" : body

/** Reads at least one chunk, even if `content-length` exceeds the limit: an unread body keeps its connection. */
const readChunks = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    return Effect.map(
      Stream.runForEachChunk(response.stream, (arrived) => {
        for (const chunk of arrived) {
          size += chunk.byteLength
          chunks.push(chunk)
        }
        return size > limit ? Effect.fail("TooLarge" as const) : Effect.void
      }),
      () => join(chunks, size)
    )
  })
