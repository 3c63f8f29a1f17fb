import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import type * as Effect from "effect/Effect"
import type * as Policy from "../Policy.js"

/** The requirement of every block: the execution that it belongs to. */
export type InExecution = WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance

/**
 * Whether a step may begin. It may not if it is known that nothing was applied, if the execution is to be
 * cancelled or has ended, or if an earlier request is so old that the service may have forgotten its key.
 */
export type Permit =
  /** It may begin. `isAgain`: it has begun before, in this round or a later one. */
  | { readonly _tag: "Granted"; readonly begins: number; readonly isAgain: boolean }
  /** It is known that nothing was applied, and nothing may be sent. */
  | { readonly _tag: "Refused"; readonly error: Errors.KeyedWriteError }
  | { readonly _tag: "Cancelled" }
  | { readonly _tag: "Expired" }

/** A round of a step that is about to begin. */
export interface Round {
  readonly round: number
  /** Whether the outcome of an earlier round is unknown. */
  readonly isDoubtful: boolean
  /** When somebody else may have sent the request first. */
  readonly sentMillis?: number | undefined
}

/** The memory of an execution beside the results of its activities. */
export interface Journal {
  /** The key under which an operator finds the execution, or its id. */
  readonly key: string

  /** Called before the activity of a round of a write. Returns how the activity begins the round. */
  readonly permit: (
    name: string,
    round: Round,
    run: Run
  ) => Effect.Effect<Effect.Effect<Permit>, never, InExecution>

  /**
   * Records that a step begins, unless the execution is to be cancelled first. A write is also refused when an
   * earlier request of it is so old that the service may have forgotten its key: the process may have been
   * down for days. The same holds after the end of the execution.
   */
  readonly begin: (name: string, run: Run) => Effect.Effect<Permit>

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
  readonly due: (pause: string | undefined, inMillis: number, run: Run) => Effect.Effect<boolean>
}

/** One run of a body: a later one replays the steps whose results the engine has stored. */
export interface Run {
  readonly workflow: string
  readonly policy: Policy.Policy
  readonly journal: Journal
  /** The names of all steps, each of which may be used once. */
  readonly taken: Set<string>
  /**
   * The steps whose results the body has, so that the engine has stored them. A write is never forgotten: it must
   * not be sent again when its key is old.
   */
  readonly ended: Set<string>
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
  /** Compensations run although the execution is to be cancelled. */
  isCompensating: boolean
}
