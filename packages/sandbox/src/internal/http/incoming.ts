/**
 * The request that is handled, and the sandbox that handles it. All sandboxes share the routes, which take both
 * from context.
 */
import * as Context from "effect/Context"
import type * as Exchange from "../../Exchange.js"
import type { Behaviour } from "../../Outcome.js"
import type { Controls } from "../control/access.js"
import type { Emulation } from "../emulation.js"

export interface Incoming {
  readonly emulation: Emulation
  readonly controls: Controls
  /** Complete in memory before the request is handled. */
  readonly body: Uint8Array
  readonly correlationId: string
  readonly course: Course
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
