/**
 * The client over undici, for a program that hands its own undici over. `UndiciClient` imports undici itself.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type { Socket } from "node:net"
import type * as Undici from "undici"
import { ConfigurationError } from "./Errors.js"
import { clockOf, schedule } from "./internal/wait/fiber.js"
import type { Running } from "./internal/wait/fiber.js"
import * as policies from "./internal/call/policy.js"
import { toHttpClient } from "./internal/transport/httpClient.js"
import * as transports from "./internal/transport/transport.js"
import * as unconnected from "./internal/transport/unconnected.js"

/** Sends each request on the dispatcher of its origin. */
const over = (dispatcherOf: (origin: string) => Undici.Dispatcher): HttpClient.HttpClient => {
  const turns = makeTurns()
  return toHttpClient({
    send: (request) =>
      Effect.withFiberRuntime((fiber) => {
        const exchange = new Exchange(turns)
        return Effect.onInterrupt(
          Effect.async<transports.Result>((resume) =>
            exchange.begin(dispatcherOf, request, fiber, (result) => resume(Effect.succeed(result)))
          ),
          () => Effect.sync(() => exchange.abort())
        )
      })
  })
}

/**
 * Makes a client from a dispatcher, such as a `ProxyAgent` or a `Pool` with client certificates. Use one
 * that does not retry or follow redirects; otherwise a payment may be sent twice.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (dispatcher: Undici.Dispatcher): HttpClient.HttpClient => {
  unconnected.watch()
  return over(() => dispatcher)
}

/**
 * The options of a client.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * The maximum number of connections to one origin, 128 by default. Further requests wait for a
   * connection within their timeout, and are not sent if it ends.
   */
  readonly connections?: number | undefined
}

const defaultConnections = 128

/**
 * The parts of undici 7 that the client uses.
 *
 * @since 0.1.0
 * @category models
 */
export type Module = Pick<typeof Undici, "Pool" | "buildConnector">

/**
 * Whether a value is undici 7. Version 6 has other handlers, and no `cacheStores`. Some runtimes replace undici, as Bun
 * does, with classes without methods.
 *
 * @since 0.1.0
 * @category guards
 */
export const isModule = (value: unknown): value is Module =>
  Predicate.hasProperty(value, "cacheStores") &&
  Predicate.hasProperty(value, "buildConnector") &&
  Predicate.hasProperty(value, "Pool") &&
  Predicate.isFunction(value.Pool) &&
  Predicate.hasProperty(value.Pool.prototype, "dispatch")

/**
 * A layer over undici. It fails if an option is invalid, or if the value is not undici 7.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  undici: unknown,
  { connections = defaultConnections }: Options = {}
): Layer.Layer<HttpClient.HttpClient, ConfigurationError> =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      if (!isModule(undici)) {
        const rule =
          "must be the module undici 7. If this runtime replaces it, send over fetch: use FetchClient.layer, or leave this option out"
        return yield* new ConfigurationError({ field: "undici", rule })
      }
      const [issue] = policies.wholeNumber("connections", connections, 1)
      if (issue !== undefined) return yield* new ConfigurationError(issue)
      const { poolOf } = yield* Effect.acquireRelease(
        makePools(undici, connections),
        ({ destroy }) => destroy
      )
      return over(poolOf)
    })
  )

/** undici is on Node, but this module also loads elsewhere. */
const isSocket = (value: unknown): value is Socket =>
  Predicate.hasProperty(value, "destroy") && Predicate.hasProperty(value, "once")

/** Whether an address got too little time, and the others failed. */
const isCutOff = (error: Error | null): boolean =>
  error instanceof AggregateError &&
  error.errors.some(
    (one: unknown) => Predicate.hasProperty(one, "code") && one.code === "ETIMEDOUT"
  )

/**
 * A pool for each origin. undici's `Agent` closes a pool when its last connection ends, even while
 * requests wait for a new one. After a pause, each request may then need a connection of its own.
 */
const makePools = (undici: Module, connections: number) =>
  Effect.sync(() => {
    const pools = new Map<string, Undici.Pool>()
    /** Open, or being connected. */
    const sockets = new Set<Socket>()
    let isDestroyed = false
    // Of several addresses, Node gives each but the last 250 ms. A handshake over a long way takes longer, and the last
    // address may be of a family that the network does not have. Then each gets more time.
    const connectors = [250, 1000, 4000].map((autoSelectFamilyAttemptTimeout) =>
      // The type requires a port, which undici replaces.
      undici.buildConnector({ port: 0, autoSelectFamily: true, autoSelectFamilyAttemptTimeout })
    )
    /** Connects with the first of these connectors that gives an address enough time. */
    const connectWith = (
      [open, ...slower]: ReadonlyArray<Undici.buildConnector.connector>,
      options: Undici.buildConnector.Options,
      callback: Undici.buildConnector.Callback
    ): void => {
      if (open === undefined || isDestroyed) return callback(transports.aborted, null)
      // undici returns the socket, though its types do not say so.
      const socket: unknown = open(options, (...result) => {
        const [error] = result
        if (slower.length > 0 && isCutOff(error)) connectWith(slower, options, callback)
        else callback(...result)
      })
      if (!isSocket(socket)) return
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    }
    const connect: Undici.buildConnector.connector = (options, callback) =>
      connectWith(connectors, options, callback)
    const poolOf = (origin: string): Undici.Pool => {
      const known = pools.get(origin)
      if (known !== undefined) return known
      const pool = new undici.Pool(origin, {
        connections,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect
      })
      pools.set(origin, pool)
      return pool
    }
    const destroy = Effect.promise(async () => {
      await Promise.all(Array.from(pools.values(), (pool) => pool.destroy()))
      // A pool does not destroy connections that are not established yet.
      isDestroyed = true
      sockets.forEach((socket) => socket.destroy(transports.aborted))
    })
    return { poolOf, destroy }
  })

const optionsOf = ({
  body,
  headers,
  method,
  origin,
  path
}: transports.HttpRequest): Undici.Dispatcher.DispatchOptions => ({
  origin,
  path,
  method,
  headers,
  body: body ?? null
})

/** All connections are busy, or none could be made. */
const noConnection = /* @__PURE__ */ transports.notSent({ code: "NO_CONNECTION_IN_TIME" })

/** Dispatches requests, now or in the next turn of the event loop. */
interface Turns {
  /** A connection becomes free in the next turn. */
  readonly freed: () => void
  readonly dispatch: (send: () => void) => void
}

/**
 * undici reuses a connection one turn of the event loop after a response. A request that follows in the same turn
 * waits for it: otherwise, it would open another connection, and a burst twice as many as it needs.
 */
const makeTurns = (): Turns => {
  let freed = 0
  return {
    freed: () => {
      if (freed++ === 0) setImmediate(() => (freed = 0))
    },
    dispatch: (send) => {
      if (freed === 0) return send()
      freed--
      // undici has planned to free the connection before.
      setImmediate(send)
    }
  }
}

/** One request on the dispatcher, and its result. */
class Exchange implements Undici.Dispatcher.DispatchHandler {
  /** `undefined` once the exchange is over. */
  private done: ((result: transports.Result) => void) | undefined
  private controller: Undici.Dispatcher.DispatchController | undefined
  private cancelDeadline: (() => void) | undefined
  private clock: Clock.Clock | undefined
  /** A request that gets its connection later has too little time for a response, and is not sent. */
  private startByMillis = Infinity
  private bodyLimit = 0
  private status = 0
  private headers: transports.Headers | undefined
  private chunks: Array<Uint8Array> | undefined
  private size = 0

  constructor(private readonly turns: Turns) {}

  begin(
    dispatcherOf: (origin: string) => Undici.Dispatcher,
    request: transports.HttpRequest,
    fiber: Running,
    done: (result: transports.Result) => void
  ): void {
    const { bodyLimit, timeoutMillis } = request
    this.done = done
    this.bodyLimit = bodyLimit
    this.clock = clockOf(fiber)
    this.startByMillis = this.clock.unsafeCurrentTimeMillis() + timeoutMillis * 0.9
    if (timeoutMillis !== Infinity) {
      this.cancelDeadline = schedule(fiber, timeoutMillis, () =>
        // Without a connection no byte was sent, and the abort prevents it from now on.
        this.cutOff(
          this.controller === undefined
            ? noConnection
            : { _tag: "TimedOut", afterMillis: timeoutMillis }
        )
      )
    }
    this.turns.dispatch(() => {
      if (this.done === undefined) return
      try {
        dispatcherOf(request.origin).dispatch(optionsOf(request), this)
      } catch (error) {
        this.cutOff(transports.died(error))
      }
    })
  }

  abort(): void {
    const { controller } = this
    this.release()
    controller?.abort(transports.aborted)
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    const isLate = (this.clock?.unsafeCurrentTimeMillis() ?? 0) > this.startByMillis
    if (isLate) this.end(noConnection)
    // Throwing refuses the request and keeps the connection; `abort` would destroy it.
    if (this.done === undefined) throw transports.aborted
    this.controller = controller
  }

  onResponseStart(_controller: unknown, status: number, headers: transports.Headers): void {
    // An informational response, such as 103.
    if (status < 200 || this.done === undefined) return
    this.status = status
    this.headers = headers
    if (Number(headers["content-length"] ?? 0) > this.bodyLimit) this.tooLarge()
  }

  onResponseData(_controller: unknown, chunk: Uint8Array): void {
    if (this.done === undefined) return
    this.size += chunk.byteLength
    if (this.size > this.bodyLimit) this.tooLarge()
    else if (this.chunks === undefined) this.chunks = [chunk]
    else this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.turns.freed()
    this.end(this.answered(transports.join(this.chunks ?? [], this.size)))
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.controller === undefined) this.end(transports.notSent(error))
    else if (this.status === 0) this.end(transports.lost(error))
    else this.end(this.answered(transports.lost(error)))
  }

  private answered(body: transports.Answered["body"]): transports.Answered {
    return { _tag: "Answered", status: this.status, headers: this.headers ?? {}, body }
  }

  private tooLarge(): void {
    this.cutOff(this.answered("TooLarge"))
  }

  /** Ends before the response does. */
  private cutOff(result: transports.Result): void {
    const { controller } = this
    this.end(result)
    controller?.abort(transports.aborted)
  }

  /** Later results are ignored. */
  private end(result: transports.Result): void {
    const { done } = this
    this.release()
    done?.(result)
  }

  /**
   * Drops all references. V8 often allocates undici's request objects in the old generation, where each
   * keeps its exchange until a full garbage collection. It must not keep the response as well.
   */
  private release(): void {
    const { cancelDeadline } = this
    this.cancelDeadline = undefined
    this.done = undefined
    this.controller = undefined
    this.headers = undefined
    this.chunks = undefined
    cancelDeadline?.()
  }
}
