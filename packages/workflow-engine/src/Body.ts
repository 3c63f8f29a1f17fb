/**
 * The body of a workflow, for authors of blocks such as those of `@manilla/workflows/Durable`: its execution, and the
 * effect of its writes.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import type * as Errors from "@manilla/core/Errors"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Execution from "./Execution.js"

/**
 * The requirement of every block: the execution that it belongs to. Any engine provides it.
 *
 * @since 0.1.0
 * @category models
 */
export type InExecution = WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance

/**
 * The services that a step needs beside its scope and its execution.
 *
 * @since 0.1.0
 * @category models
 */
export type Own<R> = Exclude<R, Scope.Scope | InExecution>

/**
 * The effect of the writes of a body, and of the executions that it has begun, on the world.
 *
 * @since 0.1.0
 * @category models
 */
export interface SideEffects {
  /** Whether the body uses blocks, which note its writes. */
  hasBlocks: boolean
  /** The outcome of all writes that have ended: unknown if one is, and else applied if one was. */
  outcome: Errors.Outcome
  /** Whether a write failed that was applied, or may have been. Nothing is undone then. */
  hasFailedApplied: boolean
  /** The writes in doubt, and the executions whose end the body has not read. Each may be applied. */
  readonly open: Set<string>
  /** The id of the last resource. */
  resource: string | undefined
}

/**
 * The side effects of a body that begins.
 *
 * @since 0.1.0
 * @category constructors
 */
export const noSideEffects = (): SideEffects => ({
  hasBlocks: false,
  outcome: "notApplied",
  hasFailedApplied: false,
  open: new Set(),
  resource: undefined
})

/**
 * A step of a body.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step<A, I, E, EI, R> {
  readonly name: string
  readonly success: Schema.Schema<A, I>
  readonly error: Schema.Schema<E, EI>
  readonly execute: Effect.Effect<A, E, R>
  /** Whether it only notes something: it has no span, and no scope of its own. */
  readonly isNote?: true
  /** The end in place of one that the engine does not store, and why. By default, a defect. */
  readonly instead?: (why: string, exit: Exit.Exit<A, E>) => Exit.Exit<A, E>
}

/**
 * A wait for a signal, until a deadline.
 *
 * @since 0.1.0
 * @category models
 */
export interface Signal<A, I> {
  /** The name of the `DurableDeferred` by which it is sent. */
  readonly name: string
  /** The name of the pause in which the body waits for it. */
  readonly pause: string
  readonly success: Schema.Schema<A, I>
  readonly deadline: Duration.Duration
}

/**
 * A run of a body, from its start to its end or its next pause, as its blocks see it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Run {
  /** The key under which an operator finds the execution. */
  readonly businessKey: string
  /**
   * The instance of the body. A race has a copy of it. An execution on another engine that the body runs inherits
   * `CurrentRun`, and has another one.
   */
  readonly instance: WorkflowEngine.WorkflowInstance["Type"]
  /** Dies if a block runs beside something else: one that fails there would interrupt it. */
  readonly refuseBeside: Effect.Effect<void>
  /** Whether an `interrupt` ends the body here. */
  readonly isCancelled: Effect.Effect<boolean>
  /** Fails if an `interrupt` ends the body at a pause that is not over. That is stored: later runs end there too. */
  readonly failIfCancelled: (pause: string) => Effect.Effect<void, Execution.ExecutionCancelled>
  /** Runs an effect and stores its result: a later run of the body reads it. */
  readonly step: <A, I, E, EI, R>(
    step: Step<A, I, E, EI, R>
  ) => Effect.Effect<A, E, Own<R> | InExecution>
  /** Waits for a signal. None after the deadline. */
  readonly signal: <A, I>(
    signal: Signal<A, I>
  ) => Effect.Effect<Option.Option<A>, Execution.ExecutionCancelled, InExecution>
  /** Waits until all executions that the body has begun have ended, unless this step was stored. */
  readonly settled: (unless: string) => Effect.Effect<void>
  /** The engines of this package store their outcome with the end of the execution. */
  readonly sideEffects: SideEffects
  /** The names of its blocks, and the keys of its writes. Each may be used once. */
  readonly used: Set<string>
  /** How many parts of the body that may be undone have begun. */
  parts: number
}

/**
 * The run that an effect belongs to. None on other engines.
 *
 * @since 0.1.0
 * @category services
 */
export class CurrentRun extends Context.Reference<CurrentRun>()(
  "@manilla/workflow-engine/CurrentRun",
  { defaultValue: (): Option.Option<Run> => Option.none() }
) {}

/**
 * The id of the execution in whose step or activity an effect runs. Blocks refuse to run there: a later run reads
 * the result of the step, and would not know of them.
 *
 * @since 0.1.0
 * @category services
 */
export class InStepOf extends Context.Reference<InStepOf>()("@manilla/workflow-engine/InStepOf", {
  defaultValue: (): string | undefined => undefined
}) {}

/**
 * Whether the body is shielded from an `interrupt`: while it undoes a part, and while a write is in doubt.
 *
 * @since 0.1.0
 * @category services
 */
export class Shielded extends Context.Reference<Shielded>()("@manilla/workflow-engine/Shielded", {
  defaultValue: () => false
}) {}

/**
 * The outcome of a body.
 *
 * @since 0.1.0
 * @category getters
 */
export const outcomeOf = ({ open, outcome }: SideEffects): Errors.Outcome =>
  open.size > 0 ? "unknown" : outcome

/**
 * Whether nothing may be undone: something that failed, or has not ended, was applied, or may have been.
 *
 * @since 0.1.0
 * @category predicates
 */
export const mustStay = ({ hasFailedApplied, open }: SideEffects): boolean =>
  hasFailedApplied || open.size > 0

/**
 * The error of an execution that an `interrupt` ends: the failure of a block, and the defect of any other wait or activity.
 *
 * @since 0.1.0
 * @category constructors
 */
export const cancellation = ({
  businessKey,
  instance,
  sideEffects
}: Pick<Run, "businessKey" | "instance" | "sideEffects">): Execution.ExecutionCancelled =>
  new Execution.ExecutionCancelled({
    workflow: instance.workflow.name,
    businessKey,
    outcome: outcomeOf(sideEffects),
    resource: sideEffects.resource
  })

/** The effect of a write or of an execution that has ended. */
interface Ended extends Partial<Pick<Execution.Execution, "outcome" | "resource">> {
  readonly hasFailed: boolean
}

/**
 * Adds the effect of a write or of an execution that has ended to those of the body.
 *
 * @since 0.1.0
 * @category mutations
 */
export const end = (
  sideEffects: SideEffects,
  name: string,
  { hasFailed, outcome, resource }: Ended
): void => {
  sideEffects.open.delete(name)
  const isApplied = outcome === "applied" && sideEffects.outcome === "notApplied"
  if (outcome === "unknown" || isApplied) sideEffects.outcome = outcome
  sideEffects.hasFailedApplied ||= outcome === "unknown" || (outcome === "applied" && hasFailed)
  sideEffects.resource = resource ?? sideEffects.resource
}

/**
 * Runs a step, and returns its exit. It has a span and a scope of its own, unless it is a note.
 *
 * @since 0.1.0
 * @category running
 */
export const runStep = <A, I, E, EI, R>(
  { execute, isNote, name }: Step<A, I, E, EI, R>,
  executionId: string
): Effect.Effect<Exit.Exit<A, E>, never, Own<R> | InExecution> => {
  // Every step needs an execution, and so does this one whatever the effect needs.
  type Needs = Own<R> | InExecution
  if (isNote) return Effect.exit(execute as Effect.Effect<A, E, Needs>)
  const attempt = Effect.useSpan(name, { captureStackTrace: false }, (span) =>
    Effect.scopedWith((scope) =>
      // At once: each change of the context takes 17 effects.
      Effect.mapInputContext(execute, (context: Context.Context<Needs>) => {
        const own = Context.make(Tracer.ParentSpan, span).pipe(
          Context.add(Scope.Scope, scope),
          Context.add(InStepOf, executionId)
        )
        return Context.merge(context, own) as Context.Context<R>
      })
    )
  )
  return completed(name, attempt)
}

const mostAttempts = 10

/**
 * Repeats what was interrupted although its execution goes on, such as a request whose client is about to close: the
 * `interruptRetryPolicy` of an activity.
 */
const completed = <A, E, R>(
  name: string,
  execute: Effect.Effect<A, E, R>,
  attempt = 1
): Effect.Effect<Exit.Exit<A, E>, never, R> =>
  Effect.flatMap(Effect.exit(execute), (exit) => {
    // A part that fails interrupts those beside it: that is a failure.
    if (Exit.isSuccess(exit) || !Cause.isInterruptedOnly(exit.cause)) return Effect.succeed(exit)
    if (attempt === mostAttempts) return Effect.succeed(Exit.die(`${name} was interrupted`))
    return Effect.delay(completed(name, execute, attempt + 1), 100 * 1.5 ** attempt)
  })
