/** The executions that a body starts and awaits. */
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Body from "../Body.js"
import { differences, endCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import * as Names from "../Names.js"
import type * as Store from "../Store.js"
import * as begun from "./begun.js"
import * as codecs from "./codecs.js"
import type { EngineStore } from "./engineStore.js"
import type { Run, RunStore } from "./run.js"
import type * as starts from "./starts.js"
import * as transitions from "./transitions.js"

/** A body that runs again may start an execution that has ended and was purged. */
const unlessPurged = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>) =>
  Effect.catchIf(
    Effect.asVoid(effect),
    ({ _tag }) => _tag === "ExecutionPurged",
    () => Effect.void
  ).pipe(Effect.orDie)

/** Ends a step that waits, without a result. */
const suspended = Effect.fail(new Workflow.Suspended({}))

interface Runs {
  readonly runOf: (executionId: string) => Effect.Effect<Run>
  /** The run of a body that is about to wait. */
  readonly waiting: (
    instance: WorkflowEngine.WorkflowInstance["Type"],
    what: string,
    remedy: string
  ) => Effect.Effect<Run>
}

export const make = (
  store: EngineStore,
  persistently: Store.Persistently,
  { cancelledAt, mark, read, runStep, waitFor }: RunStore,
  { newExecution, record, start }: ReturnType<typeof starts.make>,
  { runOf, waiting }: Runs
) => {
  /** A run that begins an execution twice must mean the same: otherwise, the second payment would be lost. */
  const sameOther = (run: Run, workflow: Workflow.Any, executionId: string, payload: object) =>
    Effect.gen(function* () {
      const own = run.execution.executionId
      const execution = yield* newExecution(workflow, executionId, payload, own)
      const first = run.payloads.get(executionId) ?? execution.payload
      run.payloads.set(executionId, first)
      const differs = differences(JSON.parse(first), JSON.parse(execution.payload))
      if (differs.length === 0) return execution
      const { businessKey } = execution
      return yield* new Execution.PayloadMismatch({
        workflow: workflow.name,
        businessKey,
        differs
      })
    }).pipe(Effect.orDie)

  /** Starts or finds an execution. It is noted before: a later run knows it, although it may not reach it again. */
  const beginOther = (run: Run, workflow: Workflow.Any, execution: Execution.Execution) =>
    Effect.gen(function* () {
      const id = execution.executionId
      run.sideEffects.open.add(begun.pauseOf(id))
      yield* mark(run, Names.make("begun", { id }))
      return yield* persistently(record(workflow, execution))
    })

  /** An execution that somebody else has started wakes this one too. */
  const wakeAtEndOf = (execution: Execution.Execution, own: string) =>
    Effect.gen(function* () {
      const { end, executionId, isAwaited, parent } = execution
      if (end !== undefined || parent === own) return execution
      const { json } = yield* codecs.stepCodec.store("a wait", Exit.void)
      const storedMillis = yield* store.runners.now
      yield* store.signal(executionId, {
        name: Names.make("awaited", { id: own }),
        exit: json,
        storedMillis
      })
      if (!isAwaited) yield* store.modify(executionId, transitions.awaited)
      // It may have ended meanwhile.
      return Option.getOrElse(yield* store.read(executionId), () => execution)
    }).pipe(persistently)

  /**
   * Awaits an execution. Its end becomes a step of the body, which can read it again although the execution was
   * purged. An interrupt is passed on to it if the body has started it, and its end is awaited all the same.
   */
  const awaitOther = (
    workflow: Workflow.Any,
    executionId: string,
    payload: object,
    parent: WorkflowEngine.WorkflowInstance["Type"]
  ) =>
    Effect.gen(function* () {
      const run = yield* waiting(
        parent,
        `an execution of ${workflow.name}`,
        "Start all executions with `{ discard: true }`, and then await one after another."
      )
      const pause = begun.pauseOf(executionId)
      const step = Names.make("ended", { id: executionId })
      const same = yield* sameOther(run, workflow, executionId, payload)
      const look = Effect.gen(function* () {
        const own = run.execution.executionId
        const other = yield* Effect.orDie(beginOther(run, workflow, same))
        const execution = yield* wakeAtEndOf(other, own)
        const end = begun.endOf(execution)
        if (end !== undefined) return Exit.succeed(end)
        const isOwn = execution.parent === own
        const cancelled = isOwn ? Option.none() : yield* cancelledAt(run, pause, false)
        if (Option.isSome(cancelled)) {
          return yield* Effect.fail(new Workflow.Complete({ exit: Exit.die(cancelled.value) }))
        }
        yield* waitFor(run, pause, execution)
        return yield* suspended
      })
      const { exit, ...end } = yield* yield* runStep(run, step, begun.codec, look)
      Body.end(run.sideEffects, pause, end)
      return new Workflow.Complete({
        exit: yield* read(run, step, endCodec(workflow), exit)
      })
    }).pipe(Effect.merge, Effect.provideService(WorkflowEngine.WorkflowInstance, parent))

  /** Starts an execution without awaiting it. One that a step starts has no parent. */
  const startOther = (
    workflow: Workflow.Any,
    executionId: string,
    payload: object,
    parent: WorkflowEngine.WorkflowInstance["Type"]
  ) =>
    Effect.gen(function* () {
      if ((yield* Body.InStepOf) === parent.executionId) {
        return yield* unlessPurged(persistently(start(workflow, executionId, payload)))
      }
      const run = yield* runOf(parent.executionId)
      const same = yield* sameOther(run, workflow, executionId, payload)
      const starts = unlessPurged(beginOther(run, workflow, same))
      const step = Names.make("started", { id: executionId })
      yield* runStep(run, step, codecs.stepCodec, Effect.as(starts, Exit.void))
    })

  return { awaitOther, startOther }
}
