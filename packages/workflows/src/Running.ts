/**
 * The execution that a body runs in. The blocks of `Durable` need it, and `Durable.layer` provides it.
 *
 * @since 0.1.0
 */
import type * as Errors from "@manilla/core/Errors"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Execution from "./Execution.js"
import type * as Policy from "./Policy.js"

/**
 * Whether a step may begin. It may not if it is known that nothing was applied, if the execution is to be
 * cancelled or has ended, or if an earlier request is so old that the service may have forgotten its key.
 *
 * @since 0.1.0
 * @category models
 */
export type Permit =
  /** It may begin. `isAgain`: it has begun before, in this round or a later one. */
  | { readonly _tag: "Granted"; readonly begins: number; readonly isAgain: boolean }
  /** It is known that nothing was applied, and nothing may be sent. */
  | { readonly _tag: "Refused"; readonly error: Errors.KeyedWriteError }
  | { readonly _tag: "Cancelled" }
  | { readonly _tag: "Expired" }

/**
 * One run of a body: a later one replays the steps whose results the engine has stored. A body may read its
 * names and its policy; the rest is for the blocks.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly workflow: string
  readonly businessKey: string
  readonly policy: Policy.Policy

  /** Takes the name of a step, which may be used once. */
  readonly take: (name: string) => Effect.Effect<void>

  /**
   * Records that the body has the result of a step, so that the engine has stored it. A write is never
   * forgotten: it must not be sent again when its key is old.
   */
  readonly onEnd: (name: string) => void

  /**
   * Records that a step begins, unless the execution is to be cancelled first. A write is also refused when an
   * earlier request of it is so old that the service may have forgotten its key: the process may have been
   * down for days. The same holds after the end of the execution.
   */
  readonly begin: (
    name: string,
    options?: {
      readonly round: number
      readonly isDoubtful: boolean
      /** When somebody else may have sent the request first. */
      readonly sentMillis?: number | undefined
    }
  ) => Effect.Effect<Permit>

  /**
   * Records that nothing was applied in a round of a write, unless the write has begun again since: another
   * runner may have sent the request, and it may be applied yet. Returns whether it was recorded.
   */
  readonly refuse: (
    name: string,
    begins: number,
    error: Errors.KeyedWriteError
  ) => Effect.Effect<boolean>

  /** Stores when the execution is due. Returns whether its cancellation was requested. */
  readonly due: (pause: string | undefined, inMillis: number) => Effect.Effect<boolean>

  /** The error of an execution that ends because its cancellation was requested. */
  readonly cancelled: () => Execution.ExecutionCancelled

  /** The effect of the writes of this execution. */
  readonly money: {
    /** Whether the outcome of a write is unknown. */
    isUnknown: boolean
    /** Whether a write moved money. */
    isApplied: boolean
    /** Whether a write that ended with an error moved money, or may have. Nothing is undone then. */
    isInDoubt: boolean
    /** The id of the last resource. */
    resource: string | undefined
  }

  /** In the order of the steps that they undo. */
  readonly compensations: Array<Effect.Effect<void>>
  /** Compensations run although the execution is to be cancelled. */
  isCompensating: boolean
}

/**
 * The execution that a body runs in.
 *
 * @since 0.1.0
 * @category services
 */
export class Running extends Context.Tag("@manilla/workflows/Running")<Running, Service>() {}
