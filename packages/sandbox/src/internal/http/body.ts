/**
 * The body of a request. It is completely in memory before the request is handled.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The bytes of the request body. */
export class Body extends Context.Tag("@manilla/sandbox/Body")<Body, Uint8Array>() {}

/** The request with these bytes as its text, which is read without a turn of the event loop. */
export const withText = (
  request: HttpServerRequest.HttpServerRequest,
  bytes: Uint8Array
): HttpServerRequest.HttpServerRequest =>
  Object.defineProperty(request, "text", {
    configurable: true,
    value: Effect.sync(() => new TextDecoder().decode(bytes))
  })
