/**
 * The sandbox on local sockets: one port for `{base_url}`, one for `{auth_url}`.
 *
 * @since 0.1.0
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import type * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { createServer } from "node:http"
import * as ControlApi from "./ControlApi.js"
import * as app from "./internal/app.js"
import * as access from "./internal/control/access.js"
import * as service from "./internal/control/service.js"
import * as emulation from "./internal/emulation.js"
import { Interceptor } from "./internal/http/incoming.js"
import * as reply from "./internal/http/reply.js"
import * as files from "./internal/page/files.js"
import * as refusal from "./internal/rules/refusal.js"
import * as dataFile from "./internal/store/dataFile.js"
import * as Sandbox from "./Sandbox.js"
import * as ServiceApi from "@manilla/service/ServiceApi"

/**
 * Options of a sandbox that listens on ports.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Sandbox.Options {
  /** The port of `{base_url}`. Defaults to any free port. */
  readonly port?: number | undefined
  /** The port of `{auth_url}`. Defaults to any free port. */
  readonly authPort?: number | undefined
  /** The host name or address to listen on. Defaults to 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined
  /**
   * Whether the control API is served. It needs no credentials, so it defaults to `true` only if `host`
   * is a loopback address.
   */
  readonly control?: boolean | undefined
  /**
   * Names by which callers of the control API and of its pages may call this machine, besides `localhost`, IP
   * addresses and `host`. They have no port. Only add names that nobody else can point at this machine, such
   * as those of a container network.
   */
  readonly allowHosts?: ReadonlyArray<string> | undefined
  /**
   * A file that keeps the state. A request that was answered is in the file, even if the process is killed. A new
   * file is made with the other options; an old one has its own credentials, wallets and identifiers.
   */
  readonly data?: string | undefined
}

/**
 * Makes a sandbox that listens until its scope closes. Then its ports are free at once, and open
 * connections are closed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<Sandbox.Service, HttpServerError.ServeError | Sandbox.DataError, Scope.Scope> =>
  Effect.gen(function* () {
    let origin = ""
    const emulated = yield* emulation.make(
      { ...options, origin: () => origin },
      options.data === undefined ? undefined : yield* dataFile.open(options.data)
    )
    // The credentials and wallets of a new file are kept before anyone sees them.
    yield* emulated.saved
    const { host = "127.0.0.1" } = options
    const listening = yield* Deferred.make<Sandbox.Service>()
    const controls: access.Controls = {
      sandbox: Deferred.await(listening),
      enabled: options.control ?? access.loopbackNames.has(host),
      hostNames: [host, ...(options.allowHosts ?? [])],
      readPage: files.read
    }
    const at = (app: app.App, port = 0) => listen(app, controls, { host, port })
    const apps = app.make(emulated, controls, yield* Effect.serviceOption(Interceptor))
    origin = yield* at(apps.main, options.port)
    const sandbox = service.make(emulated, {
      baseUrl: origin + ServiceApi.root,
      authUrl: (yield* at(apps.account, options.authPort)) + ServiceApi.root
    })
    yield* Deferred.succeed(listening, sandbox)
    return sandbox
  })

/**
 * A layer that provides a sandbox that listens until the layer's scope closes. Fails with `ServeError` if a port
 * is in use, and with `DataError` if the data file cannot be used.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Sandbox.Sandbox, HttpServerError.ServeError | Sandbox.DataError> =>
  Layer.scoped(Sandbox.Sandbox, make(options))

/** Connections that arrive together and are not accepted yet: Linux's own limit, where Node's is 511. */
const backlog = 4096

const listen = (
  handle: app.App,
  controls: access.Controls,
  address: { readonly host: string; readonly port: number }
): Effect.Effect<string, HttpServerError.ServeError, Scope.Scope> =>
  Effect.gen(function* () {
    const node = createServer({
      // A server that closes an idle connection resets a request that is sent at that moment.
      keepAliveTimeout: 0,
      // TCP finds callers that have gone without a word.
      keepAlive: true
    })
    const server = yield* NodeHttpServer.make(() => node, { ...address, backlog })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        node.close()
        // `close` alone waits for keep-alive connections.
        node.closeAllConnections()
      })
    )
    const handler = yield* NodeHttpServer.makeHandler(serve(handle, controls)).pipe(
      Effect.locally(HttpMiddleware.currentTracerDisabledWhen, () => true)
    )
    // `server.serve` also takes offers to upgrade, such as `Upgrade: h2c`, and loses their bodies. Without it, Node
    // ignores the offer.
    node.on("request", handler)
    return urlOf(server.address)
  })

/** A URL for callers on this machine, who cannot call an address that means all interfaces. */
const urlOf = (address: HttpServer.Address): string => {
  if (address._tag === "UnixAddress") return HttpServer.formatAddress(address)
  const { hostname, port } = address
  if (hostname === "0.0.0.0") return `http://127.0.0.1:${port}`
  if (hostname === "::") return `http://[::1]:${port}`
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`
}

const serve = (handle: app.App, controls: access.Controls) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { method } = request
    const { headers, url } = targetOf(request)
    const isControl = url.startsWith(`${ControlApi.root}/`)
    // The body of a caller that the control API refuses is not worth reading.
    const isRead = !isControl || Either.isRight(access.check(headers, controls))
    // The connection is closed when a body is larger. A snapshot is as large as the state.
    const maxSize = FileSystem.MiB(url === `${ControlApi.root}/snapshot` ? 512 : 10)
    const body = isRead
      ? yield* HttpIncomingMessage.withMaxBodySize(request.arrayBuffer, Option.some(maxSize))
      : new ArrayBuffer()
    return yield* handle({
      method,
      // The host is a placeholder: the app uses the `Host` header.
      url: `http://sandbox.localhost${url}`,
      headers,
      body: new Uint8Array(body)
    })
  }).pipe(
    // A caller that disconnects ends its exchange.
    Effect.interruptible,
    Effect.catchTags({
      Dropped: () =>
        Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
          NodeHttpServerRequest.toIncomingMessage(request).socket.destroy()
          return HttpServerResponse.empty()
        }),
      NotHttp: () => unreadable,
      RequestError: () => unreadable
    })
  )

/** The target may be a whole URL, as for a proxy. Its host then replaces the header `Host` (RFC 9112, 3.2.2). */
const targetOf = ({
  headers,
  url
}: HttpServerRequest.HttpServerRequest): Pick<app.Message, "headers" | "url"> => {
  if (url.startsWith("/") || !URL.canParse(url)) return { headers, url }
  const { host, pathname, search } = new URL(url)
  return { headers: { ...headers, host }, url: pathname + search }
}

const unreadable = Effect.succeed(reply.failure(refusal.of("UNREADABLE"), null))
