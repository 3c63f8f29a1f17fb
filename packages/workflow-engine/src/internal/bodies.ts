import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import type * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Body from "../Body.js"
import { endCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import * as codecs from "./codecs.js"
import type * as engineStore from "./engineStore.js"
import * as metrics from "./metrics.js"
import { forkedBegin, type Run, type Runs } from "./run.js"
import * as transitions from "./transitions.js"

/** After this time, a runner tries an execution again whose payload it could not read. */
const unreadableMillis = Duration.toMillis("10 seconds")

/** A workflow that this process can run. */
export interface Registered {
  readonly workflow: Workflow.Any
  readonly execute: (
    payload: object,
    executionId: string
  ) => Effect.Effect<
    unknown,
    unknown,
    WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance
  >
  readonly runtime: Runtime.Runtime<WorkflowEngine.WorkflowEngine>
  readonly scope: Scope.Scope
}

/** Runs a body in a fiber of its own, which ends when the body waits. An interrupt of this one cuts the run. */
const exitOf = <A, E, R>(run: Run, body: Effect.Effect<A, E, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const known = Effect.withFiberRuntime<A, E, R>((fiber) => {
        run.body = fiber
        return body
      })
      const whole = Effect.ensuring(Effect.scoped(known), forkedBegin)
      const fiber = yield* Effect.fork(Effect.interruptible(whole))
      const cut = Effect.suspend(() => {
        run.phase = { _tag: "Cut" }
        return Fiber.interrupt(fiber)
      })
      yield* Effect.exit(Effect.onInterrupt(restore(Fiber.await(fiber)), () => cut))
      return yield* Fiber.await(fiber)
    })
  )

interface Listeners {
  /** A run has ended, and its execution has not: when it is due. */
  readonly onRelease: (dueMillis: number) => void
  readonly onEnd: (execution: Execution.Execution) => Effect.Effect<void>
}

/** Runs the bodies of executions that this runner owns, and stores how each run ends. */
export const make = (runs: Runs, { onEnd, onRelease }: Listeners) => {
  const { persistently, store } = runs
  /** Stores the id of the last resource with the pause or the end of an execution. */
  const withResource =
    ({ sideEffects }: Run) =>
    (row: Execution.Execution): Execution.Execution => ({
      ...row,
      // PostgreSQL could change no row of a runner that has died, if one had NUL or a lone surrogate.
      resource: sideEffects.resource?.replace(/[\p{Surrogate}\0]/gu, "\u{fffd}") ?? row.resource
    })

  /** Ends a run whose execution has not ended. If it was woken meanwhile, it is due at once. */
  const release = (run: Run, change: engineStore.Change) =>
    Effect.map(runs.change(run, change), (released) => {
      if (Option.isSome(released)) onRelease(released.value.dueMillis || -Infinity)
    })

  /** Stores the pause in which a body waits. */
  const suspend = (run: Run, wait: transitions.Wait) => {
    const clocks = Object.fromEntries(run.clocks)
    const change = transitions.suspended(wait, clocks, run.execution.wakes)
    return release(run, flow(withResource(run), change))
  }

  /** A stored value does not fit this process: another one may have the schema or the body that fits. */
  const postpone = (run: Run, error: Error) =>
    Effect.gen(function* () {
      yield* Effect.logError(error.message)
      const dueMillis = (yield* store.runners.now) + unreadableMillis
      const cause = yield* codecs.writeCause(Cause.die(error))
      yield* suspend(run, { pause: Execution.Pause.unreadable, dueMillis, cause })
    })

  /** Stores the end of an execution, and tells those who wait for it. */
  const end = (run: Run, { workflow }: Registered, exit: Exit.Exit<unknown, unknown>) =>
    Effect.gen(function* () {
      const { businessKey, executionId } = run.execution
      const subject = `${workflow.name}: the end of ${businessKey}`
      const codec = endCodec(workflow)
      const { exit: kept, json } = yield* Option.match(cancellationOf(exit), {
        onNone: () => codec.store(subject, exit),
        // Its errors may have no place for it.
        onSome: (error) =>
          Effect.orElse(codec.encode(subject, Exit.fail(error)), () =>
            codec.store(subject, Exit.interrupt(FiberId.none))
          )
      })
      const state = stateOf(kept)
      const atMillis = yield* store.runners.now
      // Without blocks, a body may have applied something that nobody has noted.
      const noted = Body.outcomeOf(run.sideEffects)
      const isKnown = noted !== "notApplied" || run.sideEffects.hasBlocks
      const outcome = isKnown ? noted : undefined
      const change = transitions.ended({ state, atMillis }, json, outcome)
      const changed = yield* runs.change(run, flow(withResource(run), change))
      // It may have been stored by a statement whose response was lost.
      const stored = Option.isSome(changed) ? changed : yield* persistently(store.read(executionId))
      const ended = Option.filter(stored, ({ end }) => end !== undefined)
      if (Option.isNone(ended)) return
      yield* metrics.onEnd(workflow, state)
      yield* onEnd(ended.value)
    })

  /** Decides what follows a body that has ended, or waits. */
  const settle = (run: Run, registered: Registered, exit: Exit.Exit<unknown, unknown>) =>
    Effect.gen(function* () {
      const { phase } = run
      if (phase._tag === "Cut") return
      if (phase._tag === "Unreadable") return yield* postpone(run, phase.error)
      if (phase._tag === "Waiting") return yield* suspend(run, phase)
      const ended =
        phase._tag === "Refused" ? Exit.die(new Error(phase.message)) : withoutInterrupts(exit)
      const { annotations } = registered.workflow
      const staysOpen = Context.get(annotations, Workflow.SuspendOnFailure)
      // One that was asked to end does not wait after a failure.
      if (staysOpen && !run.isCancelRequested && Exit.isFailure(ended)) {
        const cause = yield* codecs.writeCause(ended.cause)
        const pause = Execution.Pause.failed
        return yield* suspend(run, { pause, dueMillis: Execution.never, cause })
      }
      const changed = runs.changed(run, "its end")
      if (changed !== undefined) {
        if (Exit.isFailure(ended)) yield* Effect.logError("A body has failed", ended.cause)
        return yield* postpone(run, changed)
      }
      run.phase = { _tag: "Running" }
      const wait = yield* runs.waitForOthers(run)
      yield* wait === undefined ? end(run, registered, ended) : suspend(run, wait)
    })

  const bodyOf = (run: Run, registered: Registered, isNew: boolean) =>
    Effect.gen(function* () {
      const { execution } = run
      if (transitions.isPoison(execution)) {
        const { businessKey, deaths, step, workflow } = execution
        yield* Effect.logError(
          `${workflow}: ${businessKey} is parked: its process died ${deaths} times without the result of a step, the last time in "${step}". A resume tries again.`
        )
        return yield* release(run, transitions.parked)
      }
      const payload = codecs.readPayload(registered.workflow, execution)
      if (Either.isLeft(payload)) return yield* postpone(run, payload.left)
      if (!isNew) yield* runs.load(run)
      const body = registered.execute(Object(payload.right), execution.executionId)
      yield* settle(run, registered, yield* exitOf(run, body))
    })

  return { bodyOf }
}

/** The end of a body without the interrupts of parts beside one that has failed. */
const withoutInterrupts = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit)
    ? exit
    : Cause.isInterruptedOnly(exit.cause)
      ? // One, because the causes of thousands of waits would be stored.
        Exit.interrupt(FiberId.none)
      : Exit.failCause(Cause.filter(exit.cause, (cause) => !Cause.isInterruptType(cause)))

/** The defect with which an interrupt ends a body, unless a block fails with it. */
const cancellationOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isSuccess(exit)
    ? Option.none()
    : Arr.findFirst(
        Cause.defects(exit.cause),
        (defect) => defect instanceof Execution.ExecutionCancelled
      )

/** How an execution ended. */
const stateOf = Exit.match({
  onSuccess: (): Execution.EndState => "Succeeded",
  onFailure: (cause): Execution.EndState => (Cause.isDie(cause) ? "Died" : "Failed")
})
