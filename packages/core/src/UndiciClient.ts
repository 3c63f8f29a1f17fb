/**
 * The fastest `HttpClient` on Node, directly on undici's dispatcher. An exchange needs no stream, `URL`,
 * `AbortController`, scope or additional fiber.
 *
 * Importing this module requires the peer dependency `undici` 7.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Layer from "effect/Layer"
import * as Undici from "undici"
import type { ConfigurationError } from "./Errors.js"
import * as UndiciModule from "./UndiciModule.js"

export {
  /**
   * @since 0.1.0
   * @category constructors
   */
  make,
  /**
   * @since 0.1.0
   * @category models
   */
  type Options
} from "./UndiciModule.js"

/**
 * A layer like `layer`, with options. It fails if an option is invalid, or if the runtime replaces undici,
 * as Bun does.
 *
 * @example
 * import * as UndiciClient from "@manilla/core/UndiciClient"
 *
 * const client = UndiciClient.layerWith({ connections: 32 })
 *
 * @since 0.1.0
 * @category layers
 */
export const layerWith = (
  options: UndiciModule.Options
): Layer.Layer<HttpClient.HttpClient, ConfigurationError> => UndiciModule.layer(Undici, options)

/**
 * A layer that provides a client with its own connections, which are destroyed with the layer. The client
 * keeps connections alive and has no timeouts of its own: the gateway sets them.
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
export const layer: Layer.Layer<HttpClient.HttpClient, ConfigurationError> = layerWith({})
