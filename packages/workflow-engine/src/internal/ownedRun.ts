import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Body from "../Body.js"
import * as Encoding from "../Encoding.js"
import type * as Execution from "../Execution.js"
import * as Store from "../Store.js"
import * as children from "./children.js"
import * as codecs from "./codecs.js"
import type * as engineStore from "./engineStore.js"

/** A run of a body in this process, which ends when the body ends or waits. */
export interface Run {
  readonly execution: Execution.Execution
  readonly instance: WorkflowEngine.WorkflowInstance["Type"]
  readonly runner: number
  readonly clocks: Map<string, number>
  /** The names of the pauses that the body waits for. */
  readonly pauses: Set<string>
  /** The payloads of the executions that it has started, by id. */
  readonly payloads: Map<string, string>
  readonly children: children.Children
  /** The stored results, by name. Undefined until the first is needed. */
  results: Map<string, string> | undefined
  /** When the last of them was stored. */
  storedMillis: number
  isCancelRequested: boolean
  /** The process ends, or another runner has the execution: the body goes on there. */
  isCut: boolean
  /** Whether the body has ended: its compensations may run. */
  hasEnded: boolean
  /** A stored result that a schema of this process does not fit. */
  unreadable: UnreadableResult | undefined
  readonly sideEffects: Body.SideEffects
  fiber: Fiber.RuntimeFiber<void> | undefined
}

/** The access of a run to the store of its execution, while its runner owns that. */
export const make = (store: engineStore.EngineStore) => {
  /** Another runner has the execution: this one does nothing more, and is interrupted. */
  const abandon = (run: Run) =>
    Effect.suspend(() => {
      run.isCut = true
      run.fiber?.unsafeInterruptAsFork(run.fiber.id())
      // This fiber too, as the run may wait for it. It could go on after a mere `Effect.interrupt`.
      return Effect.withFiberRuntime<never>((fiber) => {
        fiber.unsafeInterruptAsFork(fiber.id())
        return Effect.interruptible(Effect.never)
      })
    })

  /** Changes an execution that this runner owns, when a run has ended. */
  const leave = ({ execution, runner }: Run, change: engineStore.Change) =>
    Store.persistently(store.modify(execution.executionId, change, runner))

  const resultsOf = (run: Run) =>
    run.results !== undefined
      ? Effect.succeed(run.results)
      : Effect.gen(function* () {
          const steps = yield* Store.persistently(store.steps(run.execution.executionId))
          yield* children.note(steps, run.children, run.sideEffects)
          // After all of them: the ends of two runs have an order, also if their clocks differ.
          run.storedMillis = Math.max(0, ...steps.map(({ storedMillis }) => storedMillis + 1))
          run.results = new Map(steps.map(({ exit, name }) => [name, exit]))
          return run.results
        })

  /** Whether an earlier run of the body ended while it waited for this pause, signal or execution. */
  const hasCancelled = (run: Run, pause: string) =>
    Effect.map(resultsOf(run), (results) => !run.hasEnded && results.has(cancelledAt(pause)))

  /** Whether a pause is over. A step that was stored after it shows that, also if this clock is behind. */
  const isOver = (run: Run, pause: string) =>
    Effect.gen(function* () {
      if (yield* hasCancelled(run, pause)) return false
      const now = yield* store.runners.now
      const dueMillis = run.clocks.get(pause) ?? Infinity
      if (dueMillis > Math.max(now, run.storedMillis)) return false
      // The steps that are stored from now on show that it is over.
      run.storedMillis = Math.max(dueMillis, run.storedMillis)
      return true
    })

  /** Stores the result of a step, and returns the one that counts. */
  const keep = (run: Run, name: string, exit: string) =>
    Effect.gen(function* () {
      const storedMillis = Math.max(yield* store.runners.now, run.storedMillis)
      // Also in one millisecond, ends have an order.
      if (children.noteEnd(run.children, name)) run.storedMillis = storedMillis + 1
      const step = { name, exit, storedMillis }
      // A later run of this process must not begin while a result of this one may still be stored.
      const kept = yield* Store.persistently(
        Effect.uninterruptible(store.keep(run.execution.executionId, run.runner, step))
      )
      if (Option.isNone(kept)) return yield* abandon(run)
      run.isCancelRequested ||= kept.value.isCancelRequested
      run.results?.set(name, kept.value.exit)
      return kept.value.exit
    })

  /** Stores that something has happened. */
  const mark = (run: Run, name: string) =>
    Effect.flatMap(codecs.stepCodec.store(name, Exit.void), ({ json }) => keep(run, name, json))

  /** Whether a pause ends an execution that is to be cancelled. It is stored: later, the pause may be over. */
  const isCancelledAt = (run: Run, pause: string) =>
    Effect.gen(function* () {
      if (yield* hasCancelled(run, pause)) return true
      if (!isCancelled(run) || (yield* isOver(run, pause))) return false
      yield* mark(run, cancelledAt(pause))
      return true
    })

  /** Stores that the body ends although it waits: a later run must not go on there after a compensation. */
  const cancel = (run: Run) =>
    Effect.gen(function* () {
      yield* Effect.forEach(run.pauses, (pause) => mark(run, cancelledAt(pause)), { discard: true })
      run.pauses.clear()
    })

  /** Reads a stored result. If it does not fit, the body is suspended: a defect could be caught, and somebody else paid. */
  const read = <A, E>(run: Run, step: string, codec: Encoding.ExitCodec<A, E>, stored: string) =>
    Effect.catchAll(codec.fromJson(stored), (cause) => {
      const { businessKey, workflow } = run.execution
      run.unreadable = new UnreadableResult({ workflow, businessKey, step, cause })
      return Effect.flatMap(WorkflowEngine.WorkflowInstance, Workflow.suspend)
    })

  /** The result of a step: that of an earlier run of the body, or of this one, which is stored. */
  const runStep = <A, E, X, R>(
    run: Run,
    name: string,
    codec: Encoding.ExitCodec<A, E>,
    execute: Effect.Effect<Exit.Exit<A, E>, X, R>
  ) =>
    Effect.gen(function* () {
      const { businessKey, workflow } = run.execution
      const known = (yield* resultsOf(run)).get(name)
      if (known !== undefined) return yield* read(run, name, codec, known)
      const subject = `${workflow}: the result of "${name}" of ${businessKey}`
      // Read as a later run reads it: a member that is not stored must not reach a request.
      const { exit, json } = yield* codec.store(subject, yield* execute)
      const counts = yield* keep(run, name, json)
      return counts === json ? exit : yield* read(run, name, codec, counts)
    })

  /** A run as the blocks of its body see it. */
  const forBlocks = (run: Run): Body.Run => ({
    key: run.execution.businessKey,
    instance: run.instance,
    isCancelled: (pause) =>
      pause === undefined ? Effect.sync(() => isCancelled(run)) : isCancelledAt(run, pause),
    step: <A, I, E, EI, R>({
      error,
      execute,
      isNote,
      name,
      success
    }: Body.Step<A, I, E, EI, R>) => {
      const traced = isNote
        ? execute
        : Effect.withSpan(Effect.scoped(execute), name, { captureStackTrace: false })
      // Every step needs an execution, and so does this one whatever the effect needs.
      const own = traced as Effect.Effect<A, E, Body.Own<R> | Body.InExecution>
      const executed = completed(name, own).pipe(
        Effect.provideService(Body.InStepOf, run.execution.executionId)
      )
      const result = runStep(run, firstOf(name), Encoding.exitCodec(success, error), executed)
      // A pause beside it does not suspend the body before the result is stored.
      return Workflow.wrapActivityResult(Effect.flatten(result), () => false)
    },
    sideEffects: run.sideEffects,
    used: new Set(),
    parts: 0
  })

  return {
    abandon,
    leave,
    resultsOf,
    hasCancelled,
    isOver,
    keep,
    mark,
    cancel,
    read,
    runStep,
    forBlocks
  }
}

/** A step of a block is stored as an activity in its first attempt. */
const firstOf = (name: string) => `${name}/1`

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

/** A compensation runs, although the body was asked to end. */
const isCancelled = ({ hasEnded, isCancelRequested }: Run): boolean =>
  isCancelRequested && !hasEnded

/** Whether an interrupt ends the body where it waits. Blocks see to that themselves. */
export const isAskedToEnd = (run: Run): boolean =>
  isCancelled(run) && !run.sideEffects.handlesInterrupt

const cancelledAt = (pause: string) => firstOf(`cancelled/${pause}`)

/** The execution waits for a process with a schema that fits. */
class UnreadableResult extends Data.TaggedError("UnreadableResult")<{
  readonly workflow: string
  readonly businessKey: string
  readonly step: string
  readonly cause: ParseResult.ParseError
}> {
  override get message(): string {
    const { businessKey, cause, step, workflow } = this
    const issues = Issues.print(Issues.fromParseIssue(cause.issue))
    return `${workflow}: the stored result of the step "${step}" of ${businessKey} does not fit the schema of this process: ${issues}. It stays as it is, and the execution waits. Run it with the schema that it was started with, and it continues; give the changed workflow a new name.`
  }
}
