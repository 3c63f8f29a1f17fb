/** The executions that a caller starts, and those that a body starts and awaits. */
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Body from "../Body.js"
import { differences, endCodec } from "../Encoding.js"
import * as Execution from "../Execution.js"
import * as Names from "../Names.js"
import * as begun from "./begun.js"
import * as codecs from "./codecs.js"
import type { EngineStore } from "./engineStore.js"
import * as metrics from "./metrics.js"
import type { Run, Runs } from "./run.js"
import * as transitions from "./transitions.js"

/** The error of an execution whose payload is not the first one under its id. */
const mismatchOf = (
  { businessKey, payload, workflow }: Execution.Execution,
  first: string
): Execution.PayloadMismatch | undefined => {
  const differs = differences(JSON.parse(first), JSON.parse(payload))
  return differs.length === 0
    ? undefined
    : new Execution.PayloadMismatch({ workflow, businessKey, differs })
}

/** A body that runs again may start an execution that has ended and was purged. */
const ignorePurged = (
  effect: Effect.Effect<unknown, Exclude<Execution.StartError, Execution.StorageError>>
) =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchTag("ExecutionPurged", () => Effect.void),
    Effect.orDie
  )

/** `insert` stores an execution that is new, and may run it at once. */
export const make = (runs: Runs, insert: EngineStore["insert"]) => {
  const { persistently, store } = runs
  /** A new execution, which is not stored yet. */
  const newExecution = (
    workflow: Workflow.Any,
    executionId: string,
    payload: unknown,
    parent?: string
  ) =>
    Effect.gen(function* () {
      const { name } = workflow
      const businessKey = Execution.keyIn(payload) ?? executionId
      const encoded = codecs.writePayload(workflow, payload)
      const issuesOfKey = codecs.issuesOf(workflow, executionId, businessKey)
      const issues = issuesOfKey.concat(Either.isLeft(encoded) ? encoded.left : [])
      if (Either.isLeft(encoded) || issues.length > 0) {
        return yield* new Execution.InvalidPayload({ workflow: name, businessKey, issues })
      }
      return transitions.started({
        workflow: name,
        businessKey,
        executionId,
        payload: encoded.right,
        parent,
        startedMillis: yield* store.runners.now
      })
    })

  /** Starts an execution, or finds it. Fails if the key belongs to another one. */
  const record = (workflow: Workflow.Any, execution: Execution.Execution) =>
    Effect.gen(function* () {
      const earlier = yield* insert(execution)
      if (Option.isNone(earlier)) {
        yield* metrics.onStart(workflow)
        return execution
      }
      const stored = yield* codecs.unlessPurged(earlier.value)
      // A body that runs again may compute another payload, such as a time: the first one counts.
      if (execution.parent !== undefined && execution.parent === stored.parent) return stored
      const mismatch = mismatchOf(execution, stored.payload)
      if (mismatch === undefined) return stored
      if (stored.end === undefined) yield* codecs.readPayload(workflow, stored)
      return yield* mismatch
    })

  /** Starts an execution that has no parent, or finds it. */
  const start = (workflow: Workflow.Any, executionId: string, payload: unknown) =>
    Effect.flatMap(newExecution(workflow, executionId, payload), (execution) =>
      record(workflow, execution)
    )

  /** A run that begins an execution twice must mean the same: otherwise, the second payment would be lost. */
  const sameOther = (run: Run, workflow: Workflow.Any, executionId: string, payload: object) =>
    Effect.gen(function* () {
      const own = run.execution.executionId
      const execution = yield* newExecution(workflow, executionId, payload, own)
      const first = run.payloads.get(executionId) ?? execution.payload
      run.payloads.set(executionId, first)
      const mismatch = mismatchOf(execution, first)
      return mismatch === undefined ? execution : yield* mismatch
    }).pipe(Effect.orDie)

  /** Starts or finds an execution. It is noted before: a later run knows it, although it may not reach it again. */
  const beginOther = (run: Run, workflow: Workflow.Any, execution: Execution.Execution) =>
    Effect.gen(function* () {
      const id = execution.executionId
      run.sideEffects.open.add(begun.pauseOf(id))
      yield* runs.mark(run, Names.make("begun", { id }))
      return yield* persistently(record(workflow, execution))
    })

  /** Whether an execution ends only after another one: it is that one, or has started it, directly or through others. */
  const waitsFor = (
    executionId: string,
    other: Pick<Execution.Execution, "executionId" | "parent">
  ): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      if (other.executionId === executionId || other.parent === undefined) {
        return other.executionId === executionId
      }
      const parent = yield* persistently(store.read(other.parent))
      return Option.isSome(parent) && (yield* waitsFor(executionId, parent.value))
    })

  /** An execution that somebody else has started wakes this one too. */
  const wakeAtEndOf = (execution: Execution.Execution, own: string) =>
    Effect.gen(function* () {
      const { end, executionId, isAwaited, parent } = execution
      if (end !== undefined || parent === own) return execution
      const { json: exit } = yield* codecs.stepCodec.store("a wait", Exit.void)
      const name = Names.make("awaited", { id: own })
      const storedMillis = yield* store.runners.now
      yield* store.signal(executionId, { name, exit, storedMillis })
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
      const run = yield* runs.waiting(
        parent,
        `an execution of ${workflow.name}`,
        "Start all executions with `{ discard: true }`, and then await one after another."
      )
      const pause = begun.pauseOf(executionId)
      const step = Names.make("ended", { id: executionId })
      const same = yield* sameOther(run, workflow, executionId, payload)
      const look = Effect.gen(function* () {
        const own = run.execution.executionId
        if (yield* waitsFor(executionId, run.execution)) {
          return yield* runs.refuse(
            run,
            `it awaits ${same.businessKey} of ${workflow.name}, which waits for the end of this one.`
          )
        }
        const other = yield* Effect.orDie(beginOther(run, workflow, same))
        const execution = yield* wakeAtEndOf(other, own)
        const end = begun.endOf(execution)
        if (end !== undefined) return Exit.succeed(end)
        if (execution.parent !== own) yield* runs.failIfCancelled(run, pause, false)
        yield* runs.waitFor(run, pause, execution)
        return yield* Effect.fail(new Workflow.Suspended({}))
      })
      const { exit, ...end } = yield* yield* runs.runStep(
        run,
        step,
        begun.codec,
        look,
        begun.options
      )
      Body.end(run.sideEffects, pause, end)
      return new Workflow.Complete({ exit: yield* runs.read(run, step, endCodec(workflow), exit) })
    }).pipe(
      Effect.catchTag("ExecutionCancelled", codecs.cancelled),
      Effect.merge,
      Effect.provideService(WorkflowEngine.WorkflowInstance, parent)
    )

  /** Starts an execution without awaiting it. One that a step starts has no parent. */
  const startOther = (
    workflow: Workflow.Any,
    executionId: string,
    payload: object,
    parent: WorkflowEngine.WorkflowInstance["Type"]
  ) =>
    Effect.gen(function* () {
      if ((yield* Body.InStepOf) === parent.executionId) {
        return yield* ignorePurged(persistently(start(workflow, executionId, payload)))
      }
      const run = yield* runs.of(parent.executionId)
      const same = yield* sameOther(run, workflow, executionId, payload)
      const starts = ignorePurged(beginOther(run, workflow, same))
      const step = Names.make("started", { id: executionId })
      yield* runs.runStep(run, step, codecs.stepCodec, Effect.as(starts, Exit.void))
    })

  return { start, awaitOther, startOther }
}
