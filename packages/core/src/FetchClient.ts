/**
 * The fastest `HttpClient` where undici does not run: on Bun, Deno and workers. An exchange needs no
 * stream, scope or additional fiber.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fetchInit from "./internal/transport/fetchInit.js"
import { schedule } from "./internal/wait/fiber.js"
import { toHttpClient } from "./internal/transport/httpClient.js"
import * as transports from "./internal/transport/transport.js"
import * as unconnected from "./internal/transport/unconnected.js"

/**
 * Makes a client from a `fetch` function, such as the one of a service binding. It must not retry;
 * otherwise a payment may be sent twice. Redirects are not followed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (fetch: typeof globalThis.fetch): HttpClient.HttpClient => {
  unconnected.watch()
  return toHttpClient({
    send: (request) =>
      Effect.withFiberRuntime((fiber) =>
        Effect.async<transports.Result>((resume) => {
          const { timeoutMillis } = request
          const controller = new AbortController()
          const cancelDeadline =
            timeoutMillis === Infinity
              ? () => {}
              : schedule(fiber, timeoutMillis, () => {
                  controller.abort(transports.aborted)
                  resume(Effect.succeed({ _tag: "TimedOut", afterMillis: timeoutMillis }))
                })
          void exchange(fetch, request, controller).then((result) => {
            cancelDeadline()
            resume(Effect.succeed(result))
          })
          return Effect.sync(() => {
            cancelDeadline()
            controller.abort(transports.aborted)
          })
        })
      )
  })
}

/**
 * A layer that provides a client on the global `fetch`.
 *
 * @example
 * import * as FetchClient from "@manilla/core/FetchClient"
 * import * as Payments from "@manilla/payments/Payments"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as Layer from "effect/Layer"
 *
 * const live = Payments.layer.pipe(
 *   Layer.provide(Manilla.layerConfig()),
 *   Layer.provide(FetchClient.layer)
 * )
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.sync(HttpClient.HttpClient, () =>
  make((input, init) => globalThis.fetch(input, init))
)

/** Never rejects. */
const exchange = async (
  fetch: typeof globalThis.fetch,
  { body, bodyLimit, headers, method, origin, path }: transports.HttpRequest,
  controller: AbortController
): Promise<transports.Result> => {
  try {
    const response = await fetch(origin + path, {
      ...fetchInit.of(method),
      method,
      headers,
      // A copy of bytes: `fetch` accepts none of a `SharedArrayBuffer`.
      body: typeof body === "string" ? body : (body?.slice() ?? null),
      signal: controller.signal
    })
    const read = await readBody(response, bodyLimit)
    // An unread body keeps its connection.
    if (read === "TooLarge") controller.abort(transports.aborted)
    return {
      _tag: "Answered",
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: read
    }
  } catch (error) {
    return transports.failed(error)
  }
}

/** Reads a body: at once if its size is known, otherwise chunk by chunk up to the limit. */
const readBody = async (
  response: Response,
  limit: number
): Promise<transports.Answered["body"]> => {
  const { body, headers } = response
  const length = headers.get("content-length")
  try {
    if (transports.isBounded(headers.get("content-encoding"), length, limit)) {
      const whole = new Uint8Array(await response.arrayBuffer())
      // A false `content-length` of a wrapper.
      return whole.byteLength > limit ? "TooLarge" : whole
    }
    if (Number(length) > limit) return "TooLarge"
    const chunks: Array<Uint8Array> = []
    let size = 0
    for await (const chunk of body ?? []) {
      size += chunk.byteLength
      if (size > limit) return "TooLarge"
      chunks.push(chunk)
    }
    return transports.join(chunks, size)
  } catch (error) {
    return transports.lost(error)
  }
}
