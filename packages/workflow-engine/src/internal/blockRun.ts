import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Body from "../Body.js"
import * as Encoding from "../Encoding.js"
import type * as Execution from "../Execution.js"
import * as Names from "../Names.js"
import type { Run, Runs } from "./run.js"

/** A run that begins, as its blocks see it. */
export const begin = (
  runs: Runs,
  execution: Execution.Execution,
  runner: number,
  workflow: Workflow.Any
): Run => {
  const instance = WorkflowEngine.WorkflowInstance.initial(workflow, execution.executionId)
  // The effect has run when its finalizer is added, so the finalizer runs at once.
  const addFinalizer = (undo: Scope.Scope.Finalizer) =>
    undo(Exit.die("refused")).pipe(
      Effect.provideService(Body.Shielded, true),
      Effect.zipRight(
        runs.refuse(
          run,
          "this engine runs no finalizers of a workflow, such as those of `Workflow.withCompensation`. Use `Durable.compensating`."
        )
      )
    )
  const scope: Scope.CloseableScope = Object.assign(Object.create(instance.scope), {
    addFinalizer
  })
  const run: Run = {
    businessKey: execution.businessKey,
    instance: { ...instance, scope },
    execution,
    runner,
    results: new Map(),
    clocks: new Map(Object.entries(execution.clocks)),
    payloads: new Map(),
    storedMillis: 0,
    isCancelRequested: execution.isCancelRequested,
    hasDied: execution.deaths > 0,
    phase: { _tag: "Running" },
    fiber: undefined,
    body: undefined,
    sideEffects: Body.noSideEffects(),
    used: new Set(),
    parts: 0,
    refuseBeside: Effect.suspend(() =>
      runs.refuseBeside(
        run,
        "a block",
        "Call blocks one after another, and start an execution for each part that is to run beside others."
      )
    ),
    isCancelled: Effect.map(Body.Shielded, (isShielded) => run.isCancelRequested && !isShielded),
    failIfCancelled: (pause) =>
      Effect.flatMap(runs.isOver(run, pause), (isOver) => runs.failIfCancelled(run, pause, isOver)),
    settled: (unless) =>
      Effect.gen(function* () {
        if (run.results.has(Names.stored(unless))) return
        yield* runs.unlessChanged(run, "its compensations")
        if ((yield* runs.waitForOthers(run)) !== undefined) yield* Workflow.suspend(run.instance)
      }),
    step: (step) => {
      const name = Names.stored(step.name)
      const codec = Encoding.exitCodec(step.success, step.error)
      const unlessChanged =
        Names.parseStep(name)?.kind === "begin" ? runs.unlessChanged(run, `"${name}"`) : Effect.void
      const executed = Effect.zipRight(unlessChanged, Body.runStep(step, execution.executionId))
      return Effect.flatten(
        (step.isNote ? runs.runStep : runs.tryStep)(run, name, codec, executed, step)
      )
    },
    signal: <A, I>({ deadline, name, pause, success }: Body.Signal<A, I>) =>
      Effect.gen(function* () {
        yield* runs.schedule(run, pause, Duration.toMillis(deadline))
        const decide = Effect.gen(function* () {
          const value = yield* runs.sent(run, name)
          const hasEnded = value !== undefined || (yield* runs.isOver(run, pause))
          yield* runs.failIfCancelled(run, pause, hasEnded)
          if (value !== undefined) {
            const codec = Encoding.exitCodec(success, Schema.Never)
            const sent = Names.make("deferred", { of: name })
            return Exit.map(yield* runs.read(run, sent, codec, value), Option.some)
          }
          if (hasEnded) return Exit.succeed(Option.none())
          yield* runs.wait(run, pause)
          return yield* Workflow.suspend(run.instance)
        })
        // Stored, because a signal may still come after the deadline. It is a little larger than the signal.
        const codec = Encoding.exitCodec(optionOf(success), Schema.Never)
        const options = { maxBytes: Infinity }
        return yield* yield* runs.runStep(run, Names.stored(pause), codec, decide, options)
      })
  }
  return run
}

const optionOf = Encoding.memoize(<A, I>(success: Schema.Schema<A, I>) => Schema.Option(success))
