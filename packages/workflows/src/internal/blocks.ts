import * as Activity from "@effect/workflow/Activity"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Body from "@manilla/workflow-engine/Body"
import { checkName } from "@manilla/workflow-engine/Text"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as pauses from "./pauses.js"

/** By scope: `DurableDeferred.raceAll` and `into` copy the instance of a body, and keep its scope. */
const runs = new WeakMap<Scope.Scope, Body.Run>()

/** The run that a block belongs to. */
export const current: Effect.Effect<Body.Run, never, Body.InExecution> = Effect.gen(function* () {
  const instance = yield* WorkflowEngine.WorkflowInstance
  const { executionId, scope, workflow } = instance
  if ((yield* Body.InStepOf) === executionId) {
    return yield* Effect.dieMessage(
      `${workflow.name}: a block runs in a step or an activity, of which only the result is stored. Call it in the body, before or after.`
    )
  }
  const run = runs.get(scope) ?? (yield* makeRun(instance))
  runs.set(scope, run)
  if (run.instance !== instance) {
    return yield* Effect.dieMessage(
      `${workflow.name}: a block runs in a race. Start an execution for it.`
    )
  }
  yield* run.refuseBeside
  return run
})

const makeRun = (instance: WorkflowEngine.WorkflowInstance["Type"]) =>
  Effect.gen(function* () {
    // A body that executes a workflow on another engine passes its own on to it.
    const inherited = Option.getOrUndefined(yield* Body.CurrentRun)
    const isOwn = inherited?.instance.executionId === instance.executionId
    return isOwn ? inherited : onOtherEngine(instance)
  })

/** The members of a run on an engine that is not ours, which handles an `interrupt` itself. */
export const elsewhere = (instance: WorkflowEngine.WorkflowInstance["Type"]) => ({
  businessKey: instance.executionId,
  instance,
  isCancelled: Effect.succeed(false),
  failIfCancelled: () => Effect.void,
  refuseBeside: Effect.void,
  settled: () => Effect.void,
  sideEffects: Body.noSideEffects(),
  used: new Set<string>(),
  parts: 0
})

/** On one of Effect's engines. */
const onOtherEngine = (instance: WorkflowEngine.WorkflowInstance["Type"]): Body.Run => ({
  ...elsewhere(instance),
  step: ({ execute, ...options }) =>
    Activity.make({
      ...options,
      execute: execute.pipe(
        Effect.provideService(Body.InStepOf, instance.executionId),
        Effect.mapErrorCause(withoutInterrupts)
      )
    }),
  signal: <A, I>({ deadline, name, pause, success }: Body.Signal<A, I>) => {
    type Waits = Effect.Effect<Option.Option<A>, never, Body.InExecution>
    const sent: Waits = Effect.asSome(
      DurableDeferred.await(DurableDeferred.make(name, { success }))
    )
    const late: Waits = Effect.as(pauses.sleep(pause, Duration.toMillis(deadline)), Option.none())
    return DurableDeferred.raceAll({
      name: pause,
      success: Schema.Option(success),
      error: Schema.Never,
      effects: [sent, late]
    })
  }
})

/** If one fiber of an activity fails, those beside it are interrupted. Without this, Effect would repeat the activity. */
const withoutInterrupts = <E>(cause: Cause.Cause<E>) =>
  Cause.isInterruptedOnly(cause) ? cause : Cause.filter(cause, (one) => !Cause.isInterruptType(one))

/** Notes that a body uses the name of a block, or a key, and that it may do so once. */
export const claim = ({ instance, sideEffects, used }: Body.Run, name: string, why: string) =>
  Effect.suspend(() => {
    sideEffects.hasBlocks = true
    if (used.has(name)) return Effect.dieMessage(`${instance.workflow.name}: ${why}`)
    used.add(name)
    return checkName(name)
  })

/** Runs a block under a name of its own. */
export const named = <A, E, R>(name: string, block: (run: Body.Run) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(current, (run) => {
    const why = `two blocks have the name "${name}". The second would read the result of the first.`
    return Effect.zipRight(claim(run, name, why), block(run))
  })
