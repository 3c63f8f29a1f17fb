import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import type * as Effect from "effect/Effect"
import type * as Policy from "../Policy.js"

/** The requirement of every block: the execution that it belongs to. */
export type InExecution = WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance

/**
 * Whether a round of a write may begin. It may not if it is known that nothing was applied, if the execution is to be
 * cancelled, or if an earlier request is so old that the service may have forgotten its key.
 */
export type Permit =
  /** It may begin. `isAgain`: it has begun before, in this round or a later one. */
  | { readonly _tag: "Granted"; readonly begins: number; readonly isAgain: boolean }
  /** It is known that nothing was applied, and nothing may be sent. */
  | { readonly _tag: "Refused"; readonly error: Errors.KeyedWriteError }
  | { readonly _tag: "Cancelled" }
  | { readonly _tag: "Expired" }

/** A round of a write that is about to begin. */
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
   * Records that nothing was applied in a round of a write, unless the write has begun again since: another
   * runner may have sent the request, and it may be applied yet. Returns whether it was recorded.
   */
  readonly refuse: (
    name: string,
    begins: number,
    error: Errors.KeyedWriteError
  ) => Effect.Effect<boolean>

  /** Whether the execution is to be cancelled. False for a pause that is over: it goes on to the next block. */
  readonly isCancelled: (pause?: string) => Effect.Effect<boolean>
}

/** One run of a body: a later one replays the steps whose results the engine has stored. */
export interface Run {
  readonly workflow: string
  readonly policy: Policy.Policy
  readonly journal: Journal
  /** The names of all steps, each of which may be used once. */
  readonly taken: Set<string>
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
