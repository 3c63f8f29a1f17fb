import * as Activity from "@effect/workflow/Activity"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Body from "@manilla/workflow-engine/Body"
import * as Execution from "@manilla/workflow-engine/Execution"
import { checkName } from "@manilla/workflow-engine/Text"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Policy from "../Policy.js"

/** A run, with the needs of these blocks. */
export interface Run extends Body.Run {
  readonly instance: WorkflowEngine.WorkflowInstance["Type"]
  readonly policy: Policy.Policy
  /** The names of its blocks, and the keys of its writes. Each may be used once. */
  readonly used: Set<string>
  /** How many `compensating` have begun. */
  parts: number
}

/** Whether compensations run: an `interrupt` is not heard then. */
export class IsCompensating extends Context.Reference<IsCompensating>()(
  "@manilla/workflows/IsCompensating",
  { defaultValue: () => false }
) {}

/** By the scope of the body. `DurableDeferred.raceAll` and `into` copy its instance, and keep the scope. */
const runs = new WeakMap<Scope.Scope, Run>()

/** The run that a block belongs to. */
export const current: Effect.Effect<Run, never, Body.InExecution> = Effect.gen(function* () {
  const instance = yield* WorkflowEngine.WorkflowInstance
  const { executionId, scope, workflow } = instance
  if ((yield* Body.InStepOf) === executionId) {
    return yield* Effect.dieMessage(
      `${workflow.name}: a block runs in a step or an activity, of which only the result is stored. Call it in the body, before or after.`
    )
  }
  const known = runs.get(scope)
  if (known?.instance === instance) return known
  if (known !== undefined) {
    return yield* Effect.dieMessage(
      `${workflow.name}: a block runs in a race. Start an execution for it.`
    )
  }
  const inherited = Option.getOrUndefined(yield* Body.CurrentRun)
  const own = inherited?.executionId === executionId ? inherited : elsewhere(executionId)
  const run: Run = {
    ...own,
    isCancelled: (pause) =>
      Effect.flatMap(IsCompensating, (isCompensating) =>
        isCompensating ? Effect.succeed(false) : own.isCancelled(pause)
      ),
    instance,
    policy: yield* Policy.Current,
    used: new Set(),
    parts: 0
  }
  runs.set(scope, run)
  return run
})

/** A run on an engine that is not ours, which interrupts a body itself. */
const elsewhere = (executionId: string): Body.Run => ({
  executionId,
  key: executionId,
  isCancelled: () => Effect.succeed(false),
  step: ({ execute, ...options }) =>
    Activity.make({
      ...options,
      execute: execute.pipe(
        Effect.provideService(Body.InStepOf, executionId),
        Effect.mapErrorCause(withoutInterrupts)
      )
    }),
  sideEffects: Body.noSideEffects()
})

/** Effect repeats an activity that was interrupted. A fiber that fails interrupts those beside it: then only that counts. */
const withoutInterrupts = <E>(cause: Cause.Cause<E>) =>
  Cause.isInterruptedOnly(cause) ? cause : Cause.filter(cause, (one) => !Cause.isInterruptType(one))

/** Notes that a body uses the name of a block, or a key, and that it may do so once. */
export const once = ({ instance, sideEffects, used }: Run, name: string, why: string) =>
  Effect.suspend(() => {
    sideEffects.hasBlocks = true
    if (used.has(name)) return Effect.dieMessage(`${instance.workflow.name}: ${why}`)
    used.add(name)
    return checkName(name)
  })

/** Runs a block under a name of its own. */
export const named = <A, E, R>(name: string, block: (run: Run) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(current, (run) => {
    const why = `two blocks have the name "${name}". The second would read the result of the first.`
    return Effect.zipRight(once(run, name, why), block(run))
  })

/** The error of an execution that an `interrupt` has ended. */
export const cancellation = ({ instance, key, sideEffects }: Run): Execution.ExecutionCancelled =>
  new Execution.ExecutionCancelled({
    workflow: instance.workflow.name,
    businessKey: key,
    outcome: Body.outcomeOf(sideEffects),
    resource: sideEffects.resource
  })
