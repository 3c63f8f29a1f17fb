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
import type { Run, RunStore } from "./run.js"

/** Begins runs, as their blocks see them. */
export const make = (runStore: RunStore) => {
  /** A run that begins. */
  const begin = (execution: Execution.Execution, runner: number, workflow: Workflow.Any): Run => {
    const instance = WorkflowEngine.WorkflowInstance.initial(workflow, execution.executionId)
    // The effect has run when its finalizer is added, so the finalizer runs at once.
    const addFinalizer = (undo: Scope.Scope.Finalizer) =>
      undo(Exit.die("refused")).pipe(
        Effect.provideService(Body.GoesOn, true),
        Effect.zipRight(
          runStore.refuse(
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
        runStore.refuseBeside(
          run,
          "a block",
          "Call blocks one after another, and start an execution for each part that is to run beside others."
        )
      ),
      isCancelled: Effect.map(Body.GoesOn, (isNot) => run.isCancelRequested && !isNot),
      cancelledAt: (pause) =>
        Effect.flatMap(runStore.isOver(run, pause), (isOver) =>
          runStore.cancelledAt(run, pause, isOver)
        ),
      settled: (unless) =>
        Effect.gen(function* () {
          if (run.results.has(Names.stored(unless))) return
          if ((yield* runStore.waitForOthers(run)) !== undefined)
            yield* Workflow.suspend(run.instance)
        }),
      step: (step) => {
        const name = Names.stored(step.name)
        const codec = Encoding.exitCodec(step.success, step.error)
        const executed = Effect.zipRight(
          runStore.unlessChanged(run, name),
          Body.runStep(step, execution.executionId)
        )
        return Effect.flatten(
          (step.isNote ? runStore.runStep : runStore.tryStep)(run, name, codec, executed)
        )
      },
      signal: <A, I>({ deadline, name, pause, success }: Body.Signal<A, I>) =>
        Effect.gen(function* () {
          yield* runStore.schedule(run, pause, Duration.toMillis(deadline))
          if (!run.results.has(Names.stored(pause))) {
            const hasEnded =
              (yield* runStore.sent(run, name)) !== undefined ||
              (yield* runStore.isOver(run, pause))
            const cancelled = yield* runStore.cancelledAt(run, pause, hasEnded)
            if (Option.isSome(cancelled)) return yield* cancelled.value
            if (!hasEnded) {
              yield* runStore.wait(run, pause)
              return yield* Workflow.suspend(run.instance)
            }
          }
          // Stored, because a signal may still come after the deadline.
          const decide = Effect.gen(function* () {
            const value = yield* runStore.sent(run, name)
            if (value === undefined) return Exit.succeed(Option.none())
            const codec = Encoding.exitCodec(success, Schema.Never)
            return Exit.map(
              yield* runStore.read(run, Names.make("deferred", { of: name }), codec, value),
              Option.some
            )
          })
          const codec = Encoding.exitCodec(optionOf(success), Schema.Never)
          return yield* yield* runStore.runStep(run, Names.stored(pause), codec, decide)
        })
    }
    return run
  }

  return { begin }
}

const optionOf = Encoding.memoize(<A, I>(success: Schema.Schema<A, I>) => Schema.Option(success))
