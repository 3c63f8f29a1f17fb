/**
 * The fastest way to the network on Node: an `HttpClient` straight on undici's dispatcher. A call
 * gathers its body without a stream, and needs no `URL`, `AbortController`, scope or fiber of its own.
 *
 * An entry point of its own: `undici` 7 is a peer of those that import it.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { setMaxListeners } from "node:events"
import * as Undici from "undici"
import { join } from "./internal/bytes.js"
import type { Running } from "./internal/fiber.js"
import * as timer from "./internal/timer.js"
import * as Transport from "./Transport.js"

/**
 * A client on a dispatcher of your own, such as a `ProxyAgent` or an `Agent` with client certificates.
 * The dispatcher must not retry or follow redirects; otherwise a payment may be sent twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (dispatcher: Undici.Dispatcher): HttpClient.HttpClient =>
  Transport.toHttpClient({
    send: (request) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.withFiberRuntime((fiber) => {
          const exchange = new Exchange(request, fiber)
          exchange.begin(dispatcher)
          return Effect.onInterrupt(
            restore(
              Effect.async<Transport.Result>((resume) =>
                exchange.onEnd((result) => resume(Effect.succeed(result)))
              )
            ),
            () => Effect.sync(() => exchange.abort())
          )
        })
      )
  })

/**
 * A client on an `Agent` that is closed with the layer. Connections are kept alive; deadlines are the
 * gateway's.
 *
 * @example
 * import * as UndiciClient from "@manilla/core/UndiciClient"
 * import * as Payments from "@manilla/payments/Payments"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as Layer from "effect/Layer"
 *
 * const live = Payments.layer.pipe(
 *   Layer.provide(Manilla.layerConfig()),
 *   Layer.provide(UndiciClient.layer)
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const connecting = new AbortController()
        const { signal } = connecting
        // One for each connection.
        setMaxListeners(0, signal)
        const agent = new Undici.Agent({
          headersTimeout: 0,
          bodyTimeout: 0,
          // Passed on to `net.connect`, which knows it, though undici's types do not.
          connect: { signal } as never
        })
        return { agent, connecting }
      }),
      ({ agent, connecting }) =>
        // A connection that has not come about is none of the agent's to destroy.
        Effect.zipRight(
          Effect.promise(() => agent.destroy()),
          Effect.sync(() => connecting.abort())
        )
    ).pipe(Effect.map(({ agent }) => agent)),
    make
  )
)

const optionsOf = ({
  body,
  headers,
  method,
  origin,
  path
}: Transport.Request): Undici.Dispatcher.DispatchOptions => ({
  origin,
  path,
  method,
  headers,
  body: body ?? null
})

/** One request on the dispatcher, until it has a result. */
class Exchange implements Undici.Dispatcher.DispatchHandler {
  private controller: Undici.Dispatcher.DispatchController | undefined
  private readonly cancelDeadline: (() => void) | undefined
  private isOver = false
  private result: Transport.Result | undefined
  private done: ((result: Transport.Result) => void) | undefined
  private status = 0
  private headers: Transport.Headers = {}
  private chunks: Array<Uint8Array> = []
  private size = 0

  constructor(
    private readonly request: Transport.Request,
    fiber: Running
  ) {
    const { timeoutMillis } = request
    if (timeoutMillis === Infinity) return
    this.cancelDeadline = timer.schedule(fiber, timeoutMillis, () => {
      // Before a connection took it no byte of it left, and none will.
      this.end(
        this.controller === undefined
          ? { _tag: "NotSent", code: "UND_ERR_CONNECT_TIMEOUT" }
          : { _tag: "TimedOut", afterMillis: timeoutMillis }
      )
      this.abort()
    })
  }

  begin(dispatcher: Undici.Dispatcher): void {
    try {
      dispatcher.dispatch(optionsOf(this.request), this)
    } catch {
      this.end({ _tag: "Lost", code: "CLIENT_DIED" })
      this.abort()
    }
  }

  onEnd(done: (result: Transport.Result) => void): void {
    if (this.result === undefined) this.done = done
    else done(this.result)
  }

  abort(): void {
    this.isOver = true
    this.cancelDeadline?.()
    this.controller?.abort(aborted)
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.isOver) controller.abort(aborted)
  }

  onResponseStart(
    controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Transport.Headers
  ): void {
    // Of an answer that is only on its way, such as 103.
    if (status < 200) return
    this.status = status
    this.headers = headers
    if (Number(headers["content-length"] ?? 0) > this.request.bodyLimit) this.tooLarge(controller)
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.size += chunk.byteLength
    if (this.size > this.request.bodyLimit) this.tooLarge(controller)
    else this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.answer(join(this.chunks, this.size))
  }

  onResponseError(_controller: unknown, error: Error): void {
    const code = Predicate.hasProperty(error, "code") ? String(error.code) : undefined
    const lost: Transport.Lost = { _tag: "Lost", code }
    if (this.controller === undefined) this.end({ _tag: "NotSent", code })
    else if (this.status === 0) this.end(lost)
    else this.answer(lost)
  }

  private tooLarge(controller: Undici.Dispatcher.DispatchController): void {
    this.answer("TooLarge")
    controller.abort(aborted)
  }

  private answer(body: Transport.Answered["body"]): void {
    this.end({ _tag: "Answered", status: this.status, headers: this.headers, body })
  }

  /** The first result counts. */
  private end(result: Transport.Result): void {
    if (this.isOver) return
    this.isOver = true
    this.cancelDeadline?.()
    this.result = result
    this.done?.(result)
  }
}

/** Made once: a stack trace for each request that is given up costs more than the request. */
const aborted = new Error("the request was given up")
