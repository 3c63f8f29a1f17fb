/**
 * The body of a workflow, for authors of blocks such as those of `@manilla/workflows/Durable`: its execution, and the
 * effect of its writes.
 *
 * @since 0.1.0
 */
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Execution from "./Execution.js"

type Instance = WorkflowEngine.WorkflowInstance["Type"]
type Engine = WorkflowEngine.WorkflowEngine["Type"]

/**
 * The requirement of every block: the execution that it belongs to. Any engine provides it.
 *
 * @since 0.1.0
 * @category models
 */
export type InExecution = WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance

/**
 * The knowledge of an engine about an execution.
 *
 * @since 0.1.0
 * @category models
 */
export interface Known {
  /** The key under which an operator finds the execution, or its id. */
  readonly key: string
  /** Whether the execution is to be cancelled. False at a pause that has ended: the next block sees it. */
  readonly isCancelled: (pause?: string) => Effect.Effect<boolean>
  /** The stored results of its steps, as JSON. Undefined on other engines. */
  readonly steps:
    | {
        readonly find: (name: string) => Effect.Effect<string | undefined>
        /** Stores a result, and returns the one that counts. */
        readonly keep: (name: string, exit: string) => Effect.Effect<string>
      }
    | undefined
}

type Knows = Effect.Effect<Known, never, WorkflowEngine.WorkflowInstance>

const engines = new WeakMap<Engine, Knows>()

/**
 * Gives an engine what the blocks ask it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const withKnowledge = (engine: Engine, knows: Knows): Engine => {
  engines.set(engine, knows)
  return engine
}

/** Other engines interrupt a body themselves. */
const others: Knows = Effect.map(WorkflowEngine.WorkflowInstance, ({ executionId }) => ({
  key: executionId,
  isCancelled: () => Effect.succeed(false),
  steps: undefined
}))

const observed = new WeakSet<Scope.Scope>()

/**
 * The knowledge of the engine about the execution of this body. On an engine of this package, the blocks of a body that
 * reads it see to an `interrupt` themselves.
 *
 * @since 0.1.0
 * @category services
 */
export const known: Effect.Effect<Known, never, InExecution> = Effect.gen(function* () {
  const { scope } = yield* WorkflowEngine.WorkflowInstance
  observed.add(scope)
  return yield* engines.get(yield* WorkflowEngine.WorkflowEngine) ?? others
})

/**
 * Whether the blocks of a body see to an `interrupt`.
 *
 * @since 0.1.0
 * @category predicates
 */
export const seesInterrupts = ({ scope }: Instance): boolean => observed.has(scope)

/**
 * The effect of the writes of a body, and of the executions that it has started and awaited, on the world.
 *
 * @since 0.1.0
 * @category models
 */
export interface SideEffects {
  /** Whether the outcome of a write is unknown. */
  isUnknown: boolean
  /** Whether a write was applied. */
  isApplied: boolean
  /** Whether a write that ended with an error was applied, or may have been. Nothing is undone then. */
  isInDoubt: boolean
  /** The executions that it awaits, or awaited until it failed. Each may be applied yet. */
  readonly open: Set<string>
  /** The id of the last resource. */
  resource: string | undefined
}

const all = new WeakMap<Scope.Scope, SideEffects>()

/**
 * The side effects of a body so far. The engine stores their outcome with the end of the execution.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sideEffectsOf = ({ scope }: Instance): SideEffects => {
  const sideEffects = all.get(scope) ?? {
    isUnknown: false,
    isApplied: false,
    isInDoubt: false,
    open: new Set<string>(),
    resource: undefined
  }
  all.set(scope, sideEffects)
  return sideEffects
}

/**
 * The outcome of a body.
 *
 * @since 0.1.0
 * @category getters
 */
export const outcomeOf = ({ isApplied, isUnknown, open }: SideEffects): Errors.Outcome =>
  isUnknown || open.size > 0 ? "unknown" : isApplied ? "applied" : "notApplied"

/**
 * Whether something that ended with an error, or has not ended, was applied, or may have been.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isInDoubt = ({ isInDoubt, open }: SideEffects): boolean => isInDoubt || open.size > 0

/** The effect of a write or of an execution that has ended. */
interface Ended extends Partial<Pick<Execution.Execution, "outcome" | "resource">> {
  readonly hasFailed: boolean
}

/**
 * Adds the effect of a write or of an execution to those of the body.
 *
 * @since 0.1.0
 * @category mutations
 */
export const add = (sideEffects: SideEffects, { hasFailed, outcome, resource }: Ended): void => {
  sideEffects.isUnknown ||= outcome === "unknown"
  sideEffects.isApplied ||= outcome === "applied"
  sideEffects.isInDoubt ||= outcome === "unknown" || (outcome === "applied" && hasFailed)
  sideEffects.resource = resource ?? sideEffects.resource
}

/**
 * The defect of a body that meets a stored result which its schema does not fit. On an engine of this package, the
 * execution then waits for a process with a schema that fits.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnreadableResult extends Data.TaggedError("UnreadableResult")<{
  readonly message: string
}> {}
