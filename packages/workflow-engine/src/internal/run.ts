/**
 * The run of a body, and the life of one step. A block, such as `Durable.write`, calls `step` of its run, which `blockRun.ts` makes;
 * an activity comes from `engine.ts`. Then, in one direction:
 *
 *     tryStep --> runStep --> a stored result? -- yes --> read: the result of an earlier run
 *     (turn of     |               | no
 *     a suspect)   |               v
 *                  |          execute (Body.runStep) --> storeStep --> the result that counts
 *                  +-- the run has ended, or has lost its execution: stop
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Body from "../Body.js"
import * as Encoding from "../Encoding.js"
import * as Execution from "../Execution.js"
import * as Names from "../Names.js"
import type * as Store from "../Store.js"
import * as begun from "./begun.js"
import * as codecs from "./codecs.js"
import type * as engineStore from "./engineStore.js"
import * as transitions from "./transitions.js"

/** Whether a run goes on, and else why not. Then it begins no step, and the result of its body means nothing. */
export type Phase =
  | { readonly _tag: "Running" }
  /** The body waits, for the end of a pause or for something that wakes it. */
  | (transitions.Wait & { readonly _tag: "Waiting" })
  /** The process ends, or another runner has the execution: it goes on there. */
  | { readonly _tag: "Cut" }
  /** A stored value does not fit a schema or the body of this process. */
  | { readonly _tag: "Unreadable"; readonly error: Error }
  /** The body did what this engine does not run. */
  | { readonly _tag: "Refused"; readonly message: string }

/** A run of a body in this process, which ends when the body ends or waits. */
export interface Run extends Body.Run {
  readonly execution: Execution.Execution
  readonly runner: number
  /** The stored results, by name. */
  readonly results: Map<string, string>
  /** When each of its pauses ends. */
  readonly clocks: Map<string, number>
  /** The payloads of the executions that it has begun, by id. */
  readonly payloads: Map<string, string>
  /** When the last result was stored. */
  storedMillis: number
  isCancelRequested: boolean
  /** Whether the process of an earlier run has died, and no step was stored since. */
  hasDied: boolean
  phase: Phase
  fiber: Fiber.RuntimeFiber<void> | undefined
  /** The fiber of its body. */
  body: Fiber.RuntimeFiber<unknown, unknown> | undefined
}

/** Ends this fiber. It could go on after a mere `Effect.interrupt`. */
export const stop = Effect.withFiberRuntime<never>((fiber) => {
  fiber.unsafeInterruptAsFork(fiber.id())
  return Effect.interruptible(Effect.never)
})

/** Fibers that a body has forked begin before it ends or waits, so that a block in one of them is refused, and not lost. */
export const forkedBegin = Effect.yieldNow()

/** Undefined: a version before stored only that there was an interrupt. */
const cancellationCodec = Encoding.exitCodec(
  Schema.UndefinedOr(Execution.ExecutionCancelled),
  Schema.Never
)

/** The runs in this process, and what each does with the store of its execution while its runner owns that. */
export interface Runs extends ReturnType<typeof make> {}

export const make = (store: engineStore.EngineStore, persistently: Store.Persistently) => {
  const all = new Map<string, Run>()

  /** The run of an execution. A fiber that has outlived it does nothing more. */
  const of = (executionId: string) =>
    Effect.suspend(() => {
      const run = all.get(executionId)
      return run === undefined || run.phase._tag === "Cut" ? stop : Effect.succeed(run)
    })

  /** Another runner has the execution: this one does nothing more, and is interrupted. */
  const abandon = (run: Run) =>
    Effect.suspend(() => {
      run.phase = { _tag: "Cut" }
      run.fiber?.unsafeInterruptAsFork(run.fiber.id())
      return stop
    })

  /** Changes an execution that this runner owns. */
  const change = ({ execution, runner }: Run, change: engineStore.Change) =>
    persistently(store.modify(execution.executionId, change, runner))

  /** Reads what earlier runs have stored. */
  const load = (run: Run) =>
    Effect.gen(function* () {
      for (const { exit, name, storedMillis } of yield* persistently(
        store.steps(run.execution.executionId)
      )) {
        run.results.set(name, exit)
        run.storedMillis = Math.max(storedMillis + 1, run.storedMillis)
      }
      yield* begun.note(run.results, run.sideEffects)
    })

  /** Stores the result of a step, and returns the one that counts. */
  const storeStep = (run: Run, name: string, exit: string) =>
    Effect.gen(function* () {
      const storedMillis = Math.max(yield* store.runners.now, run.storedMillis)
      const step = { name, exit, storedMillis }
      // A later run of this process must not begin while a result of this one may still be stored.
      const kept = yield* persistently(
        Effect.uninterruptible(store.storeStep(run.execution.executionId, run.runner, step))
      )
      if (Option.isNone(kept)) return yield* abandon(run)
      run.isCancelRequested ||= kept.value.isCancelRequested
      run.results.set(name, kept.value.exit)
      return kept.value.exit
    })

  /** Stores that something has happened. */
  const mark = (run: Run, name: string) =>
    run.results.has(name)
      ? Effect.void
      : Effect.flatMap(codecs.stepCodec.store(name, Exit.void), ({ json }) =>
          storeStep(run, name, json)
        )

  /** Reads a stored result. If it does not fit, the run ends: a defect could be caught, and somebody else paid. */
  const read = <A, E>(run: Run, step: string, codec: Encoding.ExitCodec<A, E>, stored: string) =>
    Effect.catchAll(codec.fromJson(stored), (cause) => {
      const { businessKey, workflow } = run.execution
      const error = new UnreadableResult({ workflow, businessKey, step, cause })
      run.phase = { _tag: "Unreadable", error }
      return stop
    })

  /**
   * The error of a body that does not come to a write that an earlier run has begun. It could pay again, by another name, or
   * end although a request is in doubt.
   */
  const changed = ({ execution, results, sideEffects, used }: Run, where: string) => {
    const missed = [...sideEffects.open].find(
      (of) => !used.has(of) && results.has(Names.stored(Names.make("begin", { of })))
    )
    if (missed === undefined) return undefined
    const { businessKey, workflow } = execution
    return new Error(
      `${workflow}: ${businessKey} has begun the write "${missed}", and the body of this process comes to ${where} without it. Nothing is sent, and the execution waits. Run it with the body that it was started with, and it continues; give the changed workflow a new name.`
    )
  }

  /** Ends the run of a body that comes there without a write that was begun. */
  const unlessChanged = (run: Run, where: string) =>
    Effect.suspend(() => {
      const error = changed(run, where)
      if (error === undefined) return Effect.void
      run.phase = { _tag: "Unreadable", error }
      return stop
    })

  /** The result of a step: that of an earlier run of the body, or of this one, which is stored. */
  const runStep = <A, E, X, R>(
    run: Run,
    name: string,
    codec: Encoding.ExitCodec<A, E>,
    execute: Effect.Effect<Exit.Exit<A, E>, X, R>,
    options?: Encoding.StoreOptions<A, E>
  ) =>
    Effect.gen(function* () {
      const known = run.results.get(name)
      if (known !== undefined) return yield* read(run, name, codec, known)
      if (run.phase._tag !== "Running") return yield* stop
      const { businessKey, workflow } = run.execution
      const subject = `${workflow}: the result of "${name}" of ${businessKey}`
      // Read as a later run reads it: a member that is not stored must not reach a request.
      const { exit, json } = yield* codec.store(subject, yield* execute, options)
      const counts = yield* storeStep(run, name, json)
      if (run.hasDied) {
        run.hasDied = false
        yield* change(run, transitions.progressed)
      }
      return counts === json ? exit : yield* read(run, name, codec, counts)
    })

  /** Suspects take turns, so that a death shows which one may have killed the process. */
  const turns = Effect.unsafeMakeSemaphore(1)
  /** The result of a step that may kill its process. The turn of a suspect lasts until its result is stored. */
  const tryStep: typeof runStep = (run, name, codec, execute, options) =>
    Effect.suspend(() => {
      const { execution, hasDied, results } = run
      if (!hasDied || !transitions.isSuspect(execution) || results.has(name)) {
        return runStep(run, name, codec, execute, options)
      }
      const trying = change(run, transitions.trying(name, execution.deaths))
      return turns.withPermits(1)(
        runStep(run, name, codec, Effect.zipRight(trying, execute), options)
      )
    })

  /** The stored value of a signal. It may come at any time, also before the execution begins. */
  const sent = (run: Run, signal: string) =>
    Effect.gen(function* () {
      const name = Names.make("deferred", { of: signal })
      const known = run.results.get(name)
      if (known !== undefined) return known
      const steps = yield* persistently(store.steps(run.execution.executionId))
      return steps.find((step) => step.name === name)?.exit
    })

  /** Whether a pause is over. A step that was stored after it shows that, also if this clock is behind. */
  const isOver = (run: Run, pause: string) =>
    Effect.map(store.runners.now, (now) => {
      const dueMillis = run.clocks.get(pause) ?? Infinity
      if (dueMillis > Math.max(now, run.storedMillis)) return false
      // The steps that are stored from now on show that it is over.
      run.storedMillis = Math.max(dueMillis, run.storedMillis)
      return true
    })

  /** Sets the time of a pause, once: from the last stored step on, if this clock is behind it. */
  const schedule = (run: Run, pause: string, millis: number) =>
    Effect.map(store.runners.now, (now) => {
      // Of a whole millisecond: PostgreSQL stores no other time with the steps that follow.
      const endMillis = Math.ceil(Math.max(now, run.storedMillis) + millis)
      const dueMillis = Math.min(endMillis, Execution.never)
      if (!run.clocks.has(pause)) run.clocks.set(pause, dueMillis)
    })

  /**
   * Fails if an interrupt ends the body at a pause or before an activity. The error is stored: a later run must end there
   * too, although the pause may be over by then, and what its compensations have begun is no part of the error.
   */
  const failIfCancelled = (run: Run, name: string, hasEnded: boolean) =>
    Effect.gen(function* () {
      if (yield* Body.Shielded) return
      const cancelled = Names.stored(Names.make("cancelled", { of: name }))
      if (!run.results.has(cancelled) && (!run.isCancelRequested || hasEnded)) return
      const noted = Effect.sync(() => Exit.succeed(Body.cancellation(run)))
      const error = yield* yield* runStep(run, cancelled, cancellationCodec, noted)
      return yield* error ?? Body.cancellation(run)
    })

  /** When a pause ends. From now on, the body waits for that: the caller ends its fiber. */
  const wait = (run: Run, pause: string, dueMillis = run.clocks.get(pause) ?? Execution.never) =>
    Effect.gen(function* () {
      yield* forkedBegin
      const wait: transitions.Wait = { pause, dueMillis }
      if (run.phase._tag === "Running") run.phase = { _tag: "Waiting", ...wait }
      return wait
    })

  /** Waits for an execution, which wakes this one at its end. */
  const waitFor = (run: Run, pause: string, { executionId, ...other }: Execution.Execution) =>
    Effect.gen(function* () {
      const isOwn = other.parent === run.execution.executionId
      const isHeard = run.isCancelRequested && !(yield* Body.Shielded)
      if (isOwn && isHeard && !other.isCancelRequested) {
        yield* persistently(store.modify(executionId, transitions.interrupted))
      }
      return yield* wait(run, pause, Execution.never)
    })

  /** Waits for the first of the executions that the run has begun, and that have not ended. Undefined: all have. */
  const waitForOthers = (run: Run) =>
    Effect.gen(function* () {
      for (const id of begun.open(run.sideEffects, run.results)) {
        const pause = begun.pauseOf(id)
        const found = yield* persistently(store.read(id))
        const end = Option.flatMapNullable(found, begun.endOf)
        if (Option.isSome(end)) {
          const ended = Effect.succeed(Exit.succeed(end.value))
          yield* runStep(run, Names.make("ended", { id }), begun.codec, ended, begun.options)
          Body.end(run.sideEffects, pause, end.value)
        } else if (Option.exists(found, ({ parent }) => parent === run.execution.executionId)) {
          return yield* waitFor(run, pause, Option.getOrThrow(found))
        }
        // Another body has started it, or nobody has: its outcome stays unknown.
      }
      return undefined
    })

  /** Ends the execution with a sentence, before anything is sent. Its body cannot catch that. */
  const refuse = (run: Run, what: string) =>
    Effect.suspend(() => {
      const message = `${run.execution.workflow}: ${what}`
      if (run.phase._tag === "Running") run.phase = { _tag: "Refused", message }
      // It may wait for another fiber, such as in a race.
      run.body?.unsafeInterruptAsFork(run.body.id())
      return stop
    })

  /**
   * Refuses what does not run in the fiber of the body. One that fails beside it would interrupt it, and a payment that
   * is under way would be neither awaited nor undone.
   */
  const refuseBeside = (run: Run, what: string, remedy: string) =>
    Effect.withFiberRuntime<void>((fiber) =>
      fiber === run.body
        ? Effect.void
        : refuse(
            run,
            `${what} runs beside something else, such as in a race, a timeout or a concurrent \`Effect.all\`. ${remedy}`
          )
    )

  /** The run of a body that is about to wait. */
  const waiting = (
    { executionId }: WorkflowEngine.WorkflowInstance["Type"],
    what: string,
    remedy: string
  ) =>
    Effect.gen(function* () {
      const run = yield* of(executionId)
      if ((yield* Body.InStepOf) === executionId) {
        const inStep = `a step waits for ${what}. Do that in the body, before or after the step.`
        return yield* refuse(run, inStep)
      }
      yield* refuseBeside(run, `a wait for ${what}`, remedy)
      return run
    })

  return {
    all,
    change,
    changed,
    failIfCancelled,
    isOver,
    load,
    mark,
    of,
    persistently,
    read,
    refuse,
    refuseBeside,
    runStep,
    schedule,
    sent,
    store,
    tryStep,
    unlessChanged,
    wait,
    waitFor,
    waitForOthers,
    waiting
  }
}

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
