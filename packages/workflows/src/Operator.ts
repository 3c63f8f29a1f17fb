/**
 * Starts and operates the executions of a workflow by business key.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import type * as Execution from "./Execution.js"

/**
 * A workflow. Its payload, result and error are stored as JSON.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition<P, PI, A, AI, E, EI, R> {
  /** With its version, such as `Shop/SendGift/1`. Two workflows must not have one name. */
  readonly name: string
  readonly payload: Schema.Schema<P, PI>
  readonly success: Schema.Schema<A, AI>
  readonly error: Schema.Schema<E, EI>
  readonly body: (payload: P) => Effect.Effect<A, E, R>
}

/**
 * The operations on the executions of one workflow. `A` is the result of an execution, and `E` its error.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service<Payload, A, E> {
  /** The versioned name of the workflow. */
  readonly workflow: string

  /**
   * Starts an execution, and returns once it is stored: from then on it continues in every later life of
   * the process. With the same payload it may be called again, and changes nothing.
   */
  readonly start: (
    businessKey: string,
    payload: Payload
  ) => Effect.Effect<
    Execution.Status,
    | Execution.InvalidPayload
    | Execution.PayloadMismatch
    | Execution.UnreadablePayload
    | Execution.ExecutionPurged
    | Execution.StorageError
  >

  /** The state of an execution, its times, and the steps and the pause that it is in. */
  readonly status: (
    businessKey: string
  ) => Effect.Effect<
    Execution.Status,
    Execution.ExecutionNotFound | Execution.UnreadablePayload | Execution.StorageError
  >

  /** The end of an execution, or none while it goes on. */
  readonly poll: (
    businessKey: string
  ) => Effect.Effect<
    Option.Option<Exit.Exit<A, E>>,
    | Execution.ExecutionNotFound
    | Execution.ExecutionPurged
    | Execution.UnreadablePayload
    | Execution.StorageError
  >

  /**
   * Waits for the end of an execution. The wait is in memory, and ends with the process. It looks each second,
   * then less often the longer it has waited, and at least every 10 seconds.
   */
  readonly await: (
    businessKey: string
  ) => Effect.Effect<
    A,
    | E
    | Execution.ExecutionNotFound
    | Execution.ExecutionPurged
    | Execution.UnreadablePayload
    | Execution.StorageError
  >

  /**
   * Ends the pause of an execution now, so that it carries on or looks at its resource at once. It changes
   * nothing while an activity runs, or after the end.
   */
  readonly resume: (
    businessKey: string
  ) => Effect.Effect<void, Execution.ExecutionNotFound | Execution.StorageError>

  /**
   * Asks an execution to end with `ExecutionCancelled`. Before its request has left, nothing is created. If
   * the outcome of a request is unknown, the execution first continues to a known one. A look that is under
   * way ends first, within a minute by default. A resource that exists continues at the service.
   */
  readonly interrupt: (
    businessKey: string
  ) => Effect.Effect<void, Execution.ExecutionNotFound | Execution.StorageError>

  /**
   * Deletes the payload, the result and the steps of an execution that has ended, such as at the request of the
   * person whose data they are. The business key stays taken, as after `Executions.purge`, whatever the state.
   * After an earlier purge it changes nothing.
   */
  readonly purge: (
    businessKey: string
  ) => Effect.Effect<
    void,
    Execution.ExecutionNotFound | Execution.ExecutionNotEnded | Execution.StorageError
  >
}
