/**
 * Faults to script: what is to go wrong with the next requests, between the service and its caller
 * or in the service itself.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as ServiceApi from "./ServiceApi.js"

/**
 * The name of an operation, such as `Payments.create`.
 *
 * @since 0.1.0
 * @category models
 */
export type OperationName = ServiceApi.OperationName

/**
 * Which requests a fault applies to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Target {
  /** Requests of this operation; of any, unknown ones too, unless set. */
  readonly operation?: OperationName | undefined
  /** How many requests; 1 unless set, and `Infinity` for all of them. */
  readonly times?: number | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Fault = Drop | Delay | Answer

/**
 * @since 0.1.0
 * @category models
 */
export interface Drop extends Target {
  readonly _tag: "Drop"
  readonly when: "before" | "after"
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Delay extends Target {
  readonly _tag: "Delay"
  readonly duration: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Target {
  readonly _tag: "Answer"
  /** Whether the request is processed before it is answered so. */
  readonly processed: boolean
  /** The status of the answer; that of the true answer when it is left open. */
  readonly status: number | undefined
  /** `Retry-After`: seconds, or an HTTP date. */
  readonly retryAfter: number | string | undefined
  /** The body as it is; an error envelope when it is left open. */
  readonly body: string | Uint8Array | undefined
  readonly contentType: string
}

/**
 * The faults that are waiting for their requests. A request meets at most one: the first that was
 * added, that applies to it and is not used up.
 *
 * @since 0.1.0
 * @category models
 */
export interface Faults {
  readonly add: (...faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
  /** The faults that are not used up, with the times that are left. */
  readonly pending: Effect.Effect<ReadonlyArray<Fault>>
}

/**
 * The connection breaks before the request is processed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const dropBefore = (target: Target = {}): Fault => ({
  ...target,
  _tag: "Drop",
  when: "before"
})

/**
 * The request is processed, and the connection breaks before a byte of the answer.
 *
 * @example
 * import * as Fault from "@manilla/sandbox/Fault"
 * import * as Sandbox from "@manilla/sandbox/Sandbox"
 * import * as Effect from "effect/Effect"
 *
 * const threeLostAnswers = Effect.flatMap(Sandbox.Sandbox, (sandbox) =>
 *   sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", times: 3 }))
 * )
 *
 * @since 0.1.0
 * @category constructors
 */
export const dropAfter = (target: Target = {}): Fault => ({
  ...target,
  _tag: "Drop",
  when: "after"
})

/**
 * The request is processed at once, and its answer comes late. A caller that gives up meanwhile
 * does not undo it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const delay = (duration: Duration.DurationInput, target: Target = {}): Fault => ({
  ...target,
  _tag: "Delay",
  duration
})

/**
 * @since 0.1.0
 * @category models
 */
export interface StatusOptions extends Target {
  readonly retryAfter?: number | string | undefined
  readonly body?: string | Uint8Array | undefined
  /** `application/json` unless set. */
  readonly contentType?: string | undefined
  /** Whether the request is processed all the same; `false` unless set. */
  readonly processed?: boolean | undefined
}

/**
 * The answer is this status, from 200 to 599. The request is not processed, unless asked for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const status = (code: number, options: StatusOptions = {}): Fault => ({
  _tag: "Answer",
  operation: options.operation,
  times: options.times,
  processed: options.processed ?? false,
  status: code,
  retryAfter: options.retryAfter,
  body: options.body,
  contentType: options.contentType ?? json
})

/**
 * @since 0.1.0
 * @category models
 */
export interface BodyOptions extends Target {
  /** `application/json` unless set. */
  readonly contentType?: string | undefined
}

/**
 * The request is processed and answered with its true status, but with this body: HTML, half an
 * envelope, an unknown shape.
 *
 * @since 0.1.0
 * @category constructors
 */
export const body = (bytes: string | Uint8Array, options: BodyOptions = {}): Fault => ({
  _tag: "Answer",
  operation: options.operation,
  times: options.times,
  processed: true,
  status: undefined,
  retryAfter: undefined,
  body: bytes,
  contentType: options.contentType ?? json
})

const json = "application/json"
