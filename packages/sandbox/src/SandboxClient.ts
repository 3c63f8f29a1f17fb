/**
 * The sandbox in process: an `HttpClient` whose requests never leave the program. It uses the caller's
 * `Clock`, so a `TestClock` controls its time.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as app from "./internal/app.js"
import * as service from "./internal/control/service.js"
import * as emulation from "./internal/emulation.js"
import { Interceptor } from "./internal/http/incoming.js"
import * as Sandbox from "./Sandbox.js"
import * as ServiceApi from "@manilla/service/ServiceApi"

const mainOrigin = "https://sandbox.localhost"
const accountOrigin = "https://accounts.sandbox.localhost"

/**
 * Makes a sandbox, and a client that can reach only this sandbox: any other host is unknown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Sandbox.Options = {}
): Effect.Effect<{
  readonly sandbox: Sandbox.Service
  readonly client: HttpClient.HttpClient
}> =>
  Effect.gen(function* () {
    const emulated = yield* emulation.make({ ...options, origin: () => mainOrigin })
    const sandbox = service.make(emulated, {
      baseUrl: mainOrigin + ServiceApi.root,
      authUrl: accountOrigin + ServiceApi.root
    })
    const controls = { sandbox: Effect.succeed(sandbox), enabled: true }
    const apps = app.make(emulated, controls, yield* Effect.serviceOption(Interceptor))
    const client = HttpClient.make((request, url) => {
      switch (url.origin) {
        case mainOrigin:
          return exchange(apps.main, request, url)
        case accountOrigin:
          return exchange(apps.account, request, url)
        default:
          return failed(request, "Transport", withCode("ENOTFOUND", "getaddrinfo"))
      }
    })
    return { sandbox, client }
  })

/**
 * The client as `fetch`, for programs without Effect: `Promises.make` of `@manilla/promises` takes it as the option `fetch`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toFetch =
  (client: HttpClient.HttpClient): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const { headers, method, signal, url } = request
    const body = new Uint8Array(await request.arrayBuffer())
    const sent = HttpClientRequest.make(method as "GET")(url, { headers }).pipe(
      HttpClientRequest.bodyUint8Array(body, headers.get("content-type") ?? undefined)
    )
    const received = Effect.gen(function* () {
      const { arrayBuffer, headers, status } = yield* client.execute(sent)
      return new Response(yield* arrayBuffer, { status, headers })
    })
    const exit = await Effect.runPromiseExit(received, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    const cause = Predicate.hasProperty(error, "cause") ? error.cause : error
    throw signal.aborted ? signal.reason : new TypeError("fetch failed", { cause })
  }

/**
 * A layer with a sandbox and a client for it.
 *
 * @example
 * import * as Payments from "@manilla/payments/Payments"
 * import * as SandboxClient from "@manilla/sandbox/SandboxClient"
 * import * as SandboxGateway from "@manilla/sandbox/SandboxGateway"
 * import * as Layer from "effect/Layer"
 *
 * const test = Payments.layer.pipe(
 *   Layer.provideMerge(SandboxGateway.layer()),
 *   Layer.provideMerge(SandboxClient.layer({ settleAfter: "30 seconds" }))
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Sandbox.Options = {}
): Layer.Layer<Sandbox.Sandbox | HttpClient.HttpClient> =>
  Layer.effectContext(
    Effect.map(make(options), ({ client, sandbox }) =>
      Context.make(Sandbox.Sandbox, sandbox).pipe(Context.add(HttpClient.HttpClient, client))
    )
  )

const exchange = (
  handle: app.App,
  request: HttpClientRequest.HttpClientRequest,
  url: URL
): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError> => {
  const { body, headers, method } = request
  if (body._tag !== "Uint8Array" && body._tag !== "Empty") {
    const cause = new Error("the in-process sandbox supports only Uint8Array bodies")
    return failed(request, "Encode", cause)
  }
  const bytes = body._tag === "Empty" ? new Uint8Array() : body.body
  return handle({ method, url: url.href, headers, body: bytes }).pipe(
    Effect.map((response) => toClientResponse(request, response)),
    Effect.catchTags({
      Dropped: ({ code }) =>
        code === undefined
          ? failed(request, "Transport", withCode("ECONNRESET", "read"))
          : failed(request, "Transport", withCode(code, "connect")),
      NotHttp: ({ cause }) => failed(request, "Encode", cause)
    })
  )
}

/** The body is already in memory, so it is read without a turn of the event loop. */
const toClientResponse = (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpClientResponse.HttpClientResponse => {
  const isHead = request.method === "HEAD"
  const bytes = !isHead && response.body._tag === "Uint8Array" ? response.body.body : undefined
  const web = HttpClientResponse.fromWeb(
    request,
    HttpServerResponse.toWeb(response, { withoutBody: isHead || bytes !== undefined })
  )
  return bytes === undefined
    ? web
    : Object.defineProperties(web, {
        stream: { value: Stream.succeed(bytes) },
        text: { value: Effect.sync(() => new TextDecoder().decode(bytes)) },
        arrayBuffer: { value: Effect.sync(() => Uint8Array.from(bytes).buffer) }
      })
}

const failed = (
  request: HttpClientRequest.HttpClientRequest,
  reason: "Transport" | "Encode",
  cause: unknown
) => Effect.fail(new HttpClientError.RequestError({ request, reason, cause }))

/** An error with the `code` and `syscall` of an operating-system error, which clients inspect. */
const withCode = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
