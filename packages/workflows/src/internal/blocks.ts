import * as Activity from "@effect/workflow/Activity"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Body from "@manilla/workflow-engine/Body"
import * as Execution from "@manilla/workflow-engine/Execution"
import { checkName } from "@manilla/workflow-engine/Text"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Policy from "../Policy.js"

type Instance = WorkflowEngine.WorkflowInstance["Type"]

/** One run of a body: a later one replays the steps whose results the engine has stored. */
export interface Run extends Body.Run {
  readonly workflow: string
  readonly policy: Policy.Policy
  /** The names of all steps, each of which may be used once. */
  readonly taken: Set<string>
  /** How many parts of the body have begun that are undone if they fail. */
  parts: number
  /** Compensations run although the execution is to be cancelled. */
  isCompensating: boolean
}

/** A run on an engine of others, which interrupts a body itself. */
const elsewhere = (executionId: string): Body.Run => ({
  executionId,
  key: executionId,
  isCancelled: () => Effect.succeed(false),
  step: ({ execute, ...options }) =>
    Activity.make({
      ...options,
      execute: execute.pipe(
        Effect.provideService(Body.InStepOf, executionId),
        Effect.catchAllCause(withoutParts)
      )
    }),
  sideEffects: Body.noSideEffects()
})

/** A part that fails interrupts those beside it: an activity would take that for its own interrupt, and begin again. */
const withoutParts = <E>(cause: Cause.Cause<E>) =>
  Effect.failCause(
    Cause.isInterruptedOnly(cause)
      ? cause
      : Cause.filter(cause, (one) => !Cause.isInterruptType(one))
  )

/** By scope: `DurableDeferred.raceAll` and `into` make another instance with the scope of the body. */
const runs = new WeakMap<Scope.Scope, { readonly instance: Instance; readonly run: Run }>()

/** The run that a block belongs to. */
export const current: Effect.Effect<Run, never, Body.InExecution> = Effect.gen(function* () {
  const instance = yield* WorkflowEngine.WorkflowInstance
  const { executionId } = instance
  if ((yield* Body.InStepOf) === executionId) {
    return yield* Effect.dieMessage(
      `${instance.workflow.name}: a block runs in a step or an activity, of which only the result is stored. Call it in the body, before or after.`
    )
  }
  const begun = runs.get(instance.scope)
  if (begun?.instance === instance) return begun.run
  if (begun !== undefined) {
    return yield* Effect.dieMessage(
      `${instance.workflow.name}: a block runs in a race. Start an execution for it.`
    )
  }
  const inherited = Option.getOrUndefined(yield* Body.CurrentRun)
  const own = inherited?.executionId === executionId ? inherited : elsewhere(executionId)
  const run: Run = {
    ...own,
    isCancelled: (pause) => (run.isCompensating ? Effect.succeed(false) : own.isCancelled(pause)),
    workflow: instance.workflow.name,
    policy: yield* Policy.Current,
    taken: new Set(),
    parts: 0,
    isCompensating: false
  }
  runs.set(instance.scope, { instance, run })
  return run
})

/** Takes the name of a step, or another one that a body may use once. */
export const take = (
  { sideEffects, taken, workflow }: Run,
  name: string,
  why = `two steps have the name "${name}". The second would read the result of the first.`
): Effect.Effect<void> =>
  Effect.suspend(() => {
    sideEffects.hasBlocks = true
    if (taken.has(name)) return Effect.dieMessage(`${workflow}: ${why}`)
    taken.add(name)
    return checkName(name)
  })

/** Runs a block under a name of its own. */
export const named =
  (name: string) =>
  <A, E, R>(
    step: (run: Run) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R | Body.InExecution> =>
    Effect.flatMap(current, (run) => Effect.zipRight(take(run, name), step(run)))

/** The error of an execution that ends because its cancellation was requested. */
export const cancelled = ({ key, sideEffects, workflow }: Run): Execution.ExecutionCancelled =>
  new Execution.ExecutionCancelled({
    workflow,
    businessKey: key,
    outcome: Body.outcomeOf(sideEffects),
    resource: sideEffects.resource
  })
