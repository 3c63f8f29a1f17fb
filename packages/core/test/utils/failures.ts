/**
 * Makes each failure of the table on loopback, one or several times.
 */
import * as Certificates from "@manilla/test-support/Certificates"
import type * as FailureTable from "@manilla/test-support/FailureTable"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net"
import * as tls from "node:tls"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { vi } from "vitest"
import * as RawServer from "./RawServer.js"

/** Where a client meets a failure. */
export interface Place {
  readonly baseUrl: string
  readonly proxy?: string
  /** The certificate of the authority that the client trusts. */
  readonly ca?: string
  /** The number of requests that the service has read. */
  readonly requests: () => number
  /** Whether the failure is that nothing comes in time. */
  readonly isSilent?: boolean
}

type Scene = Effect.Effect<Place, never, Scope.Scope>

// -----------------------------------------------------------------------------------------------
// Servers
// -----------------------------------------------------------------------------------------------

const listen = <A extends Server>(server: A): Effect.Effect<number, never, Scope.Scope> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  })
  return Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed((server.address() as AddressInfo).port))
      )
    }),
    () =>
      Effect.sync(() => {
        sockets.forEach((socket) => socket.destroy())
        server.close()
      })
  )
}

const none = () => 0

/** A service that answers, or not, with these bytes and steps. */
const answers = (...steps: ReadonlyArray<RawServer.Step>): Scene =>
  Effect.map(RawServer.listen, (server) => {
    server.always(...steps)
    return { baseUrl: server.baseUrl, requests: () => server.seen.length }
  })

/** A port that speaks no proper TLS: it reacts to the first bytes. */
const handshake = (react: (socket: Socket) => void, more: Partial<Place> = {}): Scene =>
  Effect.map(
    listen(createServer((socket) => socket.once("data", () => react(socket)))),
    (port) => ({ baseUrl: `https://127.0.0.1:${port}/api/v1`, requests: none, ...more })
  )

/** Certificates are made once, not for each client. */
const once = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.runSync(Effect.cached(effect))

const authority = once(Certificates.authority)

interface Secure {
  readonly certificate?: Certificates.Options
  readonly isTrusted?: boolean
  readonly host?: string
  readonly options?: tls.TlsOptions
  readonly react?: (socket: Socket) => void
}

/** A service over TLS, with a certificate of an authority that the client trusts. */
const secure = ({
  certificate,
  host = "127.0.0.1",
  isTrusted = true,
  options,
  react
}: Secure): Scene => {
  const issued = once(
    Effect.flatMap(authority, (authority) => Certificates.issue({ authority, ...certificate }))
  )
  return Effect.gen(function* () {
    const { cert, key } = yield* issued
    let requests = 0
    const server = tls.createServer({ cert, key, ...options }, (socket) => {
      socket.on("error", () => {})
      socket.once("data", () => {
        requests++
        if (react === undefined) socket.end(success)
        else react(socket)
      })
    })
    server.on("tlsClientError", () => {})
    const port = yield* listen(server)
    return {
      baseUrl: `https://${host}:${port}/api/v1`,
      requests: () => requests,
      ...(isTrusted ? { ca: (yield* authority).cert } : {})
    }
  })
}

/** A proxy that reacts to each request for a tunnel. */
const proxy = (react: (socket: Socket, target: string) => void) =>
  Effect.map(
    listen(
      createServer((socket) =>
        socket.once("data", (head: Buffer) =>
          react(socket, /^CONNECT (\S+)/.exec(head.toString("latin1"))?.[1] ?? "")
        )
      )
    ),
    (port) => `http://user:secret-of-proxy@127.0.0.1:${port}`
  )

/** A proxy that opens no tunnel. */
const withoutTunnel = (react: (socket: Socket) => void): Scene =>
  Effect.map(proxy(react), (proxy) => ({
    baseUrl: "https://service.example/api/v1",
    proxy,
    requests: none
  }))

const refusedTunnel = (status: number): Scene =>
  withoutTunnel((socket) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 3\r\n\r\nNo.`))

/** A proxy with a tunnel to another failure. */
const behindProxy = (scene: Scene): Scene =>
  Effect.gen(function* () {
    const place = yield* scene
    const through = yield* proxy((socket, target) => {
      const [host, port] = target.split(":")
      const service = connect(Number(port), host, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        socket.pipe(service).pipe(socket)
      })
      service.on("error", () => socket.destroy())
      service.on("close", () => socket.destroy())
    })
    return { ...place, proxy: through }
  })

// -----------------------------------------------------------------------------------------------
// Responses
// -----------------------------------------------------------------------------------------------

const body = JSON.stringify({ success: true, data: { id: "thing-1", status: "PENDING" } })
const success = RawServer.good(body)
const refusal = RawServer.good(`{"success":false}`, "422 Unprocessable Content")
const raw = (text: string) => Buffer.from(text)

const compressed = (encoding: string, bytes: Buffer, status = "200 OK"): Scene =>
  answers(
    Buffer.concat([
      raw(
        `HTTP/1.1 ${status}\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`
      ),
      bytes
    ])
  )

const page = (status: number): Scene =>
  answers(RawServer.good("<!DOCTYPE html><html><h1>Sign in</h1></html>", `${status} Words`))

/** Replaces a global while a scene lasts. */
const withGlobal = (name: string, value: unknown): Scene =>
  Effect.as(
    Effect.acquireRelease(
      Effect.sync(() => vi.stubGlobal(name, value)),
      () => Effect.sync(() => vi.unstubAllGlobals())
    ),
    { baseUrl: "http://127.0.0.1:9999/api/v1", requests: none }
  )

/** Such as the one of a simulated browser. */
class ForeignController {
  readonly signal = {}
  abort(): void {}
}

const alert = (description: number) => Buffer.from([21, 3, 3, 0, 2, 2, description])
const handshakeFailure = 40

export const scenes: Readonly<Record<FailureTable.Failure, ReadonlyArray<Scene>>> = {
  refused: [
    Effect.map(Effect.scoped(RawServer.listen), ({ baseUrl }) => ({ baseUrl, requests: none }))
  ],
  noAddress: [Effect.succeed({ baseUrl: "https://service.invalid/api/v1", requests: none })],
  closesAtOnce: [
    Effect.map(RawServer.listen, (server) => {
      server.greet = (socket) => socket.destroy()
      return { baseUrl: server.baseUrl, requests: () => server.seen.length }
    })
  ],
  closesAfterRequest: [answers("end")],
  resetsAfterRequest: [answers("reset")],
  halfStatusLine: [answers(raw("HTTP/1.1 20"), "end")],
  halfHead: [answers(raw("HTTP/1.1 200 OK\r\ncont"), "reset")],
  halfBody: [answers(success.subarray(0, -5), { wait: 20 }, "end")],
  halfRefusal: [answers(refusal.subarray(0, -5), { wait: 20 }, "reset")],
  silent: [Effect.map(answers(), (place) => ({ ...place, isSilent: true }))],

  tlsCloses: [handshake((socket) => socket.end())],
  tlsResets: [handshake((socket) => socket.resetAndDestroy())],
  tlsAlert: [handshake((socket) => socket.end(alert(handshakeFailure)))],
  tlsSilent: [handshake(() => {}, { isSilent: true })],
  noTls: [handshake((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))],
  garbage: [handshake((socket) => socket.end(Buffer.alloc(40, 7)))],
  oldTls: [
    secure({ options: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } })
  ],
  noAlpn: [secure({ options: { ALPNProtocols: ["h2"] } })],
  selfSigned: [secure({ isTrusted: false })],
  expired: [secure({ certificate: { days: [-2, -1] } })],
  notYetValid: [secure({ certificate: { days: [1, 2] } })],
  otherHost: [secure({ certificate: { names: ["other.example"] }, host: "localhost" })],
  clientCertificate12: [secure({ options: { requestCert: true, maxVersion: "TLSv1.2" } })],
  clientCertificate13: [secure({ options: { requestCert: true, minVersion: "TLSv1.3" } })],
  tlsClosesAfterRequest: [secure({ react: (socket) => socket.end() })],

  tunnel407: [refusedTunnel(407)],
  tunnel403: [refusedTunnel(403)],
  tunnel502: [refusedTunnel(502)],
  tunnel503: [refusedTunnel(503)],
  proxyRefused: [
    Effect.map(Effect.scoped(listen(createServer())), (port) => ({
      baseUrl: "https://service.example/api/v1",
      proxy: `http://127.0.0.1:${port}`,
      requests: none
    }))
  ],
  proxyCloses: [withoutTunnel((socket) => socket.end())],
  tlsBehindProxy: [behindProxy(handshake((socket) => socket.end("HTTP/1.1 400 No\r\n\r\n")))],
  closesBehindProxy: [behindProxy(secure({ react: (socket) => socket.end() }))],

  redirect: [301, 302, 303, 307, 308].map((status) =>
    answers(raw(`HTTP/1.1 ${status} There\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n`))
  ),
  earlyRefusal: [
    Effect.map(RawServer.listen, (server) => {
      server.greet = (socket) => void socket.once("data", () => socket.end(refusal))
      return { baseUrl: server.baseUrl, requests: none }
    })
  ],
  earlyHints: [
    answers(raw("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"), { wait: 20 }, success)
  ],
  continues: [answers(raw("HTTP/1.1 100 Continue\r\n\r\n"), { wait: 20 }, success)],
  upgrades: [
    answers(
      raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      { wait: 20 },
      "end"
    )
  ],
  largeHead: [answers(raw(`HTTP/1.1 200 OK\r\na: ${"x".repeat(100_000)}\r\n\r\n`))],
  notHttp: [
    answers(raw("220 mail.example ESMTP\r\n"), "end"),
    answers(raw("HTTP/1.1 200 OK\r\na b: c\r\n\r\n"), "end")
  ],
  gzip: [compressed("gzip", gzipSync(body)), compressed("x-gzip", gzipSync(body))],
  deflate: [compressed("deflate", deflateSync(body))],
  rawDeflate: [compressed("deflate", deflateRawSync(body))],
  brotli: [
    compressed("br", brotliCompressSync(body)),
    compressed("gzip, br", brotliCompressSync(gzipSync(body)))
  ],
  gzipRefusal: [compressed("gzip", gzipSync(`{"success":false}`), "422 Unprocessable Content")],
  bomb: [compressed("gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024, " ")))],
  page403: [401, 403, 404, 429].map(page),
  page502: [500, 502, 503, 504].map(page),
  page200: [page(200)],

  noFetch: [withGlobal("fetch", undefined)],
  foreignSignal: [withGlobal("AbortController", ForeignController)],
  blockedPort: [Effect.succeed({ baseUrl: "http://127.0.0.1:6000/api/v1", requests: none })]
}
