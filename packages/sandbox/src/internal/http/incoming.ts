/**
 * The request that is handled, and the sandbox that handles it. All sandboxes share the routes, which take both
 * from context.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Exchange from "../../Exchange.js"
import type { Behaviour } from "../../Outcome.js"
import type * as Sandbox from "../../Sandbox.js"
import type { Emulation } from "../emulation.js"

export interface Incoming {
  readonly emulation: Emulation
  readonly controls: Controls
  /** Complete in memory before the request is handled. */
  readonly body: Uint8Array
  readonly correlationId: string
  readonly course: Course
}

/** The controls of the sandbox. */
export interface Controls {
  /** Available when the sandbox listens. */
  readonly sandbox: Effect.Effect<Sandbox.Service>
  /** Whether the control API is on. */
  readonly enabled: boolean
  /** The host names by which it can be called, besides `localhost` and IP addresses. */
  readonly hostNames?: ReadonlyArray<string>
  /** Reads a file of the folder `page`. A sandbox in process serves no files, so it also runs in browsers. */
  readonly readPage?: (name: string) => Effect.Effect<string, unknown>
}

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
