/**
 * The request that is handled, and the sandbox that handles it. All sandboxes share the routes, which take both
 * from context.
 */
import type { HttpServerResponse } from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Exchange from "../../Exchange.js"
import type { Behaviour } from "../../Scenario.js"
import type { Controls } from "../control/access.js"
import type { Emulation } from "../emulation.js"

export interface Incoming {
  readonly emulation: Emulation
  readonly controls: Controls
  /** Complete in memory before the request is handled. */
  readonly body: Uint8Array
  readonly correlationId: string
  readonly course: Course
  readonly intercept: Intercept | undefined
}

/** The connection must be closed without a response. */
export class Dropped extends Data.TaggedError("Dropped")<{
  readonly lost: "request" | "response"
  /** The error of a client in process. Defaults to `ECONNRESET`. */
  readonly code?: "ECONNREFUSED"
}> {}

/** Decides about the fault of a request before the queue does, in a proof. */
export type Intercept = (request: {
  readonly operation: string
  readonly nowMillis: number
  readonly emulation: Emulation
  readonly course: Course
}) => Meet | undefined

export type Meet = <R>(
  process: Effect.Effect<HttpServerResponse, never, R>
) => Effect.Effect<HttpServerResponse, Dropped, R | Incoming>

/** The interceptor of the sandboxes that are made in this context. */
export const Interceptor = Context.GenericTag<Intercept>("@manilla/sandbox/Interceptor")

/** The course of the request until now. */
export interface Course {
  fault: Exchange.AppliedFault | undefined
  /** The behaviour that the request asks for, if the handler of its operation decides about it. */
  behaviour: Behaviour | undefined
  /** Whether it is answered with the stored result of its key. */
  replay: boolean
  readonly warnings: Array<string>
}

export const Incoming = Context.GenericTag<Incoming>("@manilla/sandbox/Incoming")
