/**
 * Scripted faults for the next requests, in the network or in the service.
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
 * Selects the requests that a fault applies to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Target {
  /** The operation. Defaults to any request, including unknown routes. */
  readonly operation?: OperationName | undefined
  /** The number of requests. Defaults to 1; `Infinity` means all of them. */
  readonly times?: number | undefined
  /** A header that the request must have. */
  readonly header?: HeaderMatch | undefined
  /** A field that the JSON body must have. */
  readonly field?: FieldMatch | undefined
  /** The probability that the fault applies to a request that it selects. Defaults to 1. */
  readonly probability?: number | undefined
  /** The seed of the draws for `probability`. Defaults to 0. */
  readonly seed?: number | undefined
}

/**
 * Selects requests by a header.
 *
 * @since 0.1.0
 * @category models
 */
export interface HeaderMatch {
  /** In any case. */
  readonly name: string
  /** The exact value. Defaults to any value. */
  readonly value?: string | undefined
}

/**
 * Selects requests by a field of their JSON body. The field must have exactly this value.
 *
 * @since 0.1.0
 * @category models
 */
export interface FieldMatch {
  /** The path of the field, such as `payer.phone_number`. */
  readonly name: string
  readonly value: string | number | boolean | null
}

/**
 * A fault, and the requests that it applies to.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault = Drop | Delay | Answer | Outcome

/**
 * Closes the connection before or after the request is processed, without a response.
 *
 * @since 0.1.0
 * @category models
 */
export interface Drop extends Target {
  readonly _tag: "Drop"
  readonly when: "before" | "after"
}

/**
 * Processes the request at once, and delays its response in real time.
 *
 * @since 0.1.0
 * @category models
 */
export interface Delay extends Target {
  readonly _tag: "Delay"
  readonly duration: Duration.DurationInput
}

/**
 * Replaces the response, or parts of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Target {
  readonly _tag: "Answer"
  /** Whether the request is processed before this response is sent. */
  readonly processed: boolean
  /** The status of the response. Defaults to the real status. */
  readonly status?: number | undefined
  /** `Retry-After`: seconds, or an HTTP date. */
  readonly retryAfter?: number | string | undefined
  /** The raw body. Defaults to an error envelope. */
  readonly body?: string | Uint8Array | undefined
  readonly contentType: string
}

/**
 * An outcome of the module `Outcome`. It applies to the operations of that outcome only.
 *
 * @since 0.1.0
 * @category models
 */
export interface Outcome extends Target {
  readonly _tag: "Outcome"
  /** The name of the outcome. */
  readonly outcome: string
}

/**
 * The queue of pending faults. At most one fault applies to a request: the earliest one added that
 * matches it and is not used up.
 *
 * @since 0.1.0
 * @category models
 */
export interface Faults {
  readonly add: (...faults: ReadonlyArray<Fault>) => Effect.Effect<void>
  /** Adds one fault, and returns it with its id. */
  readonly register: (fault: Fault) => Effect.Effect<Pending>
  /** Removes a fault. Returns `false` if no pending fault has this id. */
  readonly remove: (id: string) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<void>
  /** The faults that are not used up. */
  readonly pending: Effect.Effect<ReadonlyArray<Pending>>
}

/**
 * A fault in the queue.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pending {
  readonly id: string
  readonly fault: Fault
  /** The number of requests that it still applies to. */
  readonly remaining: number
}

/**
 * Closes the connection before the request is processed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const dropBefore = (target: Target = {}): Drop => ({
  ...target,
  _tag: "Drop",
  when: "before"
})

/**
 * Processes the request, then closes the connection before the response.
 *
 * @example
 * import * as Fault from "@manilla/sandbox/Fault"
 * import * as Sandbox from "@manilla/sandbox/Sandbox"
 * import * as Effect from "effect/Effect"
 *
 * const threeLostResponses = Effect.flatMap(Sandbox.Sandbox, (sandbox) =>
 *   sandbox.faults.add(Fault.dropAfter({ operation: "Payments.create", times: 3 }))
 * )
 *
 * @since 0.1.0
 * @category constructors
 */
export const dropAfter = (target: Target = {}): Drop => ({
  ...target,
  _tag: "Drop",
  when: "after"
})

/**
 * Processes the request at once and delays the response. A caller that disconnects meanwhile does not
 * undo it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const delay = (duration: Duration.DurationInput, target: Target = {}): Delay => ({
  ...target,
  _tag: "Delay",
  duration
})

/**
 * Options of `status`.
 *
 * @since 0.1.0
 * @category models
 */
export interface StatusOptions extends Target {
  readonly retryAfter?: number | string | undefined
  readonly body?: string | Uint8Array | undefined
  /** Defaults to `application/json`. */
  readonly contentType?: string | undefined
  /** Whether the request is processed. Defaults to `false`. */
  readonly processed?: boolean | undefined
}

/**
 * Responds with this status, from 200 to 599. The request is not processed unless `processed` is set.
 *
 * @since 0.1.0
 * @category constructors
 */
export const status = (
  code: number,
  { body, contentType = json, processed = false, retryAfter, ...target }: StatusOptions = {}
): Answer => ({
  ...target,
  _tag: "Answer",
  processed,
  status: code,
  retryAfter,
  body,
  contentType
})

/**
 * Options of `body`.
 *
 * @since 0.1.0
 * @category models
 */
export interface BodyOptions extends Target {
  /** Defaults to `application/json`. */
  readonly contentType?: string | undefined
}

/**
 * Processes the request and responds with the real status but this body, such as HTML, a truncated
 * envelope or an unknown shape.
 *
 * @since 0.1.0
 * @category constructors
 */
export const body = (
  bytes: string | Uint8Array,
  { contentType = json, ...target }: BodyOptions = {}
): Answer => ({
  ...target,
  _tag: "Answer",
  processed: true,
  status: undefined,
  retryAfter: undefined,
  body: bytes,
  contentType
})

/**
 * Makes a request end in an outcome, such as `insufficient_funds`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const outcome = (name: string, target: Target = {}): Outcome => ({
  ...target,
  _tag: "Outcome",
  outcome: name
})

/**
 * The name of a fault; of an outcome, the name of the outcome.
 *
 * @since 0.1.0
 * @category printing
 */
export const nameOf = (fault: Fault): string => {
  switch (fault._tag) {
    case "Drop":
      return `drop_${fault.when}`
    case "Delay":
      return "delay"
    case "Answer":
      return fault.status === undefined ? "body" : "status"
    case "Outcome":
      return fault.outcome
  }
}

const json = "application/json"
