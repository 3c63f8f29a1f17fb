import type * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Engine from "../../Engine.js"
import * as Execution from "../../Execution.js"
import { differences } from "../differences.js"
import * as blocks from "../run.js"
import * as codecs from "./codecs.js"
import * as ends from "./ends.js"
import { isStorageError, unlessPurged } from "./execution.js"
import * as metrics from "./metrics.js"
import { persistently } from "./persistently.js"
import type * as store from "./store.js"
import * as transitions from "./transitions.js"

export interface Options {
  /** How often a runner looks for executions that are due, if the store does not know when the next one is. */
  readonly pollInterval: Duration.DurationInput
  /** How often a runner shows that it lives. */
  readonly beatInterval: Duration.DurationInput
}

/** The most executions that a runner runs at once. Others that are due wait. */
const mostRunning = 1_000
/** The most executions that one statement takes. */
const takeLimit = 100
/** After this time, a runner tries an execution again whose payload it could not read. */
const unreadableMillis = Duration.toMillis("10 seconds")
/** After this time, a body looks again at an execution that it has started, in case nobody has woken it. */
const childMillis = Duration.toMillis("1 minute")
/** A runner looks for executions that are due at most this often: the precision of durable pauses in memory. */
const shortestPollMillis = 1_000
const metricsInterval = Duration.minutes(1)
const healthTimeout = Duration.seconds(5)
/** The executions of a runner that cannot say that it ends are freed when its silence is noticed. */
const leaveTimeout = Duration.seconds(2)

const prefix = "DurableClock/"
const signalName = (deferred: string) => `deferred/${deferred}`

/** Why an execution does not start. For `execute`, which has no such errors, they are defects. */
export type StartError =
  | Execution.PayloadMismatch
  | Execution.UnreadablePayload
  | Execution.ExecutionPurged
  | Execution.StorageError

interface Registered {
  readonly workflow: Workflow.Any
  readonly execute: (
    payload: object,
    executionId: string
  ) => Effect.Effect<
    unknown,
    unknown,
    WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance
  >
  readonly runtime: Runtime.Runtime<never>
  readonly scope: Scope.Scope
}

/** A run of a body in this process, which ends when the body ends or waits. */
interface Run {
  readonly execution: Execution.Execution
  readonly runner: number
  readonly clocks: Map<string, number>
  /** The names of the pauses that the body waits for. */
  readonly pauses: Set<string>
  /** The stored results, by name. Undefined until the first is needed. */
  results: Map<string, string> | undefined
  /** When the last of them was stored. */
  storedMillis: number
  isCancelRequested: boolean
  fiber: Fiber.RuntimeFiber<void> | undefined
}

const stored = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E | Execution.StorageError, R>
) => persistently(effect, isStorageError)

const make = (store: store.Store, { beatInterval, pollInterval }: Options) =>
  Effect.gen(function* () {
    const workflows = new Map<string, Registered>()
    const runs = new Map<string, Run>()
    /** Executions that this runner owned and did not run at the last beat. */
    let idle = new Set<string>()
    const { tell, untilEnd } = ends.make()
    const { join } = store.runners
    let runner = yield* join
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => store.runners.leave(runner)).pipe(
        Effect.interruptible,
        Effect.timeout(leaveTimeout),
        Effect.ignore
      )
    )

    /** Another runner has the execution: this one does nothing more, and is interrupted. */
    const abandon = (run: Run) =>
      Effect.zipRight(
        Effect.sync(() => run.fiber?.unsafeInterruptAsFork(run.fiber.id())),
        Effect.never
      )

    /** Changes an execution that this runner owns, when a run has ended. */
    const leave = (
      { execution, runner }: Run,
      change: (execution: Execution.Execution) => Execution.Execution
    ) => stored(store.modify(execution.executionId, (row) => [true, change(row)], runner))

    const current = Effect.flatMap(WorkflowEngine.WorkflowInstance, ({ executionId }) => {
      const run = runs.get(executionId)
      return run === undefined ? Effect.interrupt : Effect.succeed(run)
    })

    const resultsOf = (run: Run) =>
      run.results !== undefined
        ? Effect.succeed(run.results)
        : Effect.map(stored(store.steps(run.execution.executionId)), (steps) => {
            run.results = new Map(steps.map(({ exit, name }) => [name, exit]))
            run.storedMillis = Math.max(0, ...steps.map(({ storedMillis }) => storedMillis))
            return run.results
          })

    /** Whether a pause is over. A step that was stored after it shows that, also if this clock is behind. */
    const isOver = (run: Run, pause: string) =>
      Effect.gen(function* () {
        yield* resultsOf(run)
        const now = yield* Clock.currentTimeMillis
        return (run.clocks.get(pause) ?? Infinity) <= Math.max(now, run.storedMillis)
      })

    /** Stores the result of a step, and returns the one that counts. */
    const keep = (run: Run, name: string, exit: string) =>
      Effect.gen(function* () {
        const storedMillis = yield* Clock.currentTimeMillis
        const step = { name, exit, storedMillis }
        const kept = yield* stored(store.keep(run.execution.executionId, run.runner, step))
        if (Option.isNone(kept)) return yield* abandon(run)
        run.isCancelRequested ||= kept.value.isCancelRequested
        run.results?.set(name, kept.value.exit)
        return kept.value.exit
      })

    /** Ends a body that was asked to end and now waits, unless its blocks see to that. */
    const endIfInterrupted = (run: Run, instance: WorkflowEngine.WorkflowInstance["Type"]) =>
      Effect.suspend(() => {
        if (!instance.suspended || !run.isCancelRequested || blocks.of(instance) !== undefined) {
          return Effect.void
        }
        instance.suspended = false
        instance.interrupted = true
        return Effect.withFiberRuntime<void>((fiber) =>
          Effect.interruptible(Fiber.interrupt(fiber))
        )
      })

    /** What a run leaves behind. */
    const conclude = (
      run: Run,
      { workflow }: Registered,
      result: Workflow.Result<unknown, unknown>,
      resource: string | undefined
    ) =>
      Effect.gen(function* () {
        const { clocks, execution, pauses } = run
        const { businessKey, executionId, parent, wakes } = execution
        const created = (row: Execution.Execution) => ({
          ...row,
          resource: resource ?? row.resource
        })
        if (result._tag === "Suspended") {
          const wait = { clocks: Object.fromEntries(clocks), pauses: [...pauses], wakes }
          yield* leave(run, (row) => {
            const waiting = transitions.suspended(wait)(created(row))
            noteDue(waiting.dueMillis)
            return waiting
          })
          return
        }
        const { toJson } = codecs.exitCodec(workflow)
        const exit = yield* toJson(result.exit).pipe(
          Effect.orElse(() => {
            const defect = `${workflow.name}: the end of ${businessKey} does not fit its schema`
            return Effect.orDie(toJson(Exit.die(defect)))
          })
        )
        const state = stateOf(result.exit)
        const atMillis = yield* Clock.currentTimeMillis
        const isStored = yield* leave(run, (row) =>
          transitions.ended({ state, atMillis }, exit)(created(row))
        )
        if (Option.isNone(isStored)) return
        yield* metrics.onEnd(workflow.name, state)
        tell(executionId)
        if (parent !== undefined) yield* wake(parent, transitions.woken)
      })

    /** The payload no longer fits its schema: another process may have a schema that it fits. */
    const postpone = (run: Run, error: Execution.UnreadablePayload) =>
      Effect.gen(function* () {
        yield* Effect.logError(error.message)
        const now = yield* Clock.currentTimeMillis
        yield* leave(run, transitions.postponed(now + unreadableMillis))
      })

    const bodyOf = (run: Run, registered: Registered) =>
      Effect.gen(function* () {
        const { execute, workflow } = registered
        const { execution } = run
        const payload = codecs.readPayload(workflow, execution)
        if (Either.isLeft(payload)) return yield* postpone(run, payload.left)
        const instance = WorkflowEngine.WorkflowInstance.initial(workflow, execution.executionId)
        // The process ends, or another runner has the execution: the body goes on there. As if it was suspended, its
        // scope stays open, so that nothing is compensated here.
        let isCut = false
        const suspendIfCut = (exit: Exit.Exit<unknown, unknown>) =>
          Effect.sync(() => {
            const isInterrupted = Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)
            isCut = isInterrupted && !instance.suspended && !instance.interrupted
            if (isCut) instance.suspended = true
          })
        const exit = yield* execute(Object(payload.right), execution.executionId).pipe(
          Effect.onExit((exit) =>
            Effect.zipRight(endIfInterrupted(run, instance), suspendIfCut(exit))
          ),
          Workflow.intoResult,
          Effect.provideService(WorkflowEngine.WorkflowInstance, instance),
          Effect.provideService(WorkflowEngine.WorkflowEngine, engine),
          Effect.exit
        )
        const result = Exit.match(exit, {
          onFailure: (cause) => new Workflow.Complete({ exit: Exit.failCause(cause) }),
          onSuccess: (result) =>
            // A fiber that was interrupted does not come here: the body interrupted itself.
            isCut ? new Workflow.Complete({ exit: Exit.interrupt(FiberId.none) }) : result
        })
        yield* conclude(run, registered, result, blocks.of(instance)?.money.resource)
      })

    /** Runs an execution that this runner owns. An earlier run has ended, or has lost it. */
    const begin = (execution: Execution.Execution, results?: Map<string, string>): void => {
      const { clocks, executionId, isCancelRequested, workflow } = execution
      const earlier = runs.get(executionId)?.fiber
      if (earlier !== undefined) {
        earlier.addObserver(() => begin(execution))
        return earlier.unsafeInterruptAsFork(earlier.id())
      }
      const registered = workflows.get(workflow)
      if (registered === undefined || execution.runner === undefined) return
      const run: Run = {
        execution,
        runner: execution.runner,
        clocks: new Map(Object.entries(clocks)),
        pauses: new Set(),
        results,
        storedMillis: 0,
        isCancelRequested,
        fiber: undefined
      }
      runs.set(executionId, run)
      const ended = Effect.sync(() => void runs.delete(executionId))
      const { runtime, scope } = registered
      const body = Effect.ensuring(bodyOf(run, registered), ended)
      run.fiber = Runtime.runFork(runtime)(body, { scope })
    }

    const canRun = (workflow: string) => workflows.has(workflow) && runs.size < mostRunning

    /** Changes an execution, and runs it if it is due now and nobody has it. */
    const wake = (
      executionId: string,
      change: (execution: Execution.Execution) => Execution.Execution
    ) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const taken = yield* store.modify(executionId, (execution) => {
          const changed = change(execution)
          if (!transitions.isFree(changed, now) || !canRun(changed.workflow)) {
            return [undefined, changed]
          }
          const taken = transitions.taken(changed, runner)
          return [taken, taken]
        })
        if (Option.isSome(taken) && taken.value !== undefined) begin(taken.value)
        else noteDue(now)
      }).pipe(Effect.uninterruptible, stored)

    /** Opens when there is something to look for earlier than was known. */
    const changed = yield* Effect.makeLatch()
    /** When something is due, as far as it is known. */
    let nextMillis = Infinity
    const noteDue = (dueMillis: number) => {
      if (dueMillis >= nextMillis) return
      nextMillis = dueMillis
      changed.unsafeOpen()
    }

    const takeDue: Effect.Effect<void> = Effect.gen(function* () {
      const room = Math.min(takeLimit, mostRunning - runs.size)
      const now = yield* Clock.currentTimeMillis
      if (room <= 0) return noteDue(now)
      if (workflows.size === 0) return
      const { nextMillis, taken } = yield* store.take(runner, [...workflows.keys()], now, room)
      taken.forEach((execution) => begin(execution))
      noteDue(nextMillis)
      if (taken.length === room) return yield* Effect.zipRight(Effect.yieldNow(), takeDue)
    }).pipe(stored)

    const beat = Effect.gen(function* () {
      if (!(yield* store.runners.beat(runner))) {
        yield* Effect.logWarning("This runner was taken for dead. It continues as a new one.")
        runner = yield* join
        for (const { fiber } of runs.values()) fiber?.unsafeInterruptAsFork(fiber.id())
      }
      yield* store.runners.reap(runner)
    }).pipe(stored)

    const freeIdle = Effect.gen(function* () {
      // The answer to a statement that gave it an execution may have been lost.
      const owned = yield* store.owned(runner)
      const lost = owned.filter((executionId) => !runs.has(executionId))
      const free = (row: Execution.Execution) => [undefined, transitions.freed(row)] as const
      yield* Effect.forEach(
        lost.filter((executionId) => idle.has(executionId)),
        (executionId) => store.modify(executionId, free, runner),
        { discard: true }
      )
      idle = new Set(lost)
    }).pipe(stored)

    const measure = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const name of workflows.keys()) {
        yield* metrics.setOpen(name, yield* store.open(name), now)
      }
    }).pipe(stored)

    /** Stores an execution, and runs it if it is new. */
    const insert = (execution: Execution.Execution) =>
      Effect.tap(store.insert(execution), ({ isNew, stored }) =>
        Effect.sync(() => {
          if (!isNew) return
          if (stored.runner === undefined) noteDue(stored.dueMillis)
          else begin(stored, new Map())
        })
      ).pipe(Effect.uninterruptible)

    /** Starts an execution, or finds it. Fails if the key belongs to another one. */
    const record = (
      workflow: Workflow.Any,
      executionId: string,
      payload: unknown,
      parent: string | undefined
    ) =>
      Effect.gen(function* () {
        const { name } = workflow
        const encoded = codecs.writePayload(workflow, payload)
        const businessKey = codecs.keyOf(payload, executionId)
        const now = yield* Clock.currentTimeMillis
        const { isNew, stored } = yield* insert({
          workflow: name,
          businessKey,
          executionId,
          payload: encoded,
          parent,
          startedMillis: now,
          runner: canRun(name) ? runner : undefined,
          dueMillis: now,
          pause: undefined,
          clocks: {},
          wakes: 0,
          resource: undefined,
          isCancelRequested: false,
          end: undefined,
          exit: undefined,
          isPurged: false
        })
        if (isNew) return yield* metrics.onStart(name)
        yield* unlessPurged(stored)
        const differs = differences(JSON.parse(stored.payload), JSON.parse(encoded))
        if (differs.length === 0) return
        if (stored.end === undefined) yield* codecs.readPayload(workflow, stored)
        return yield* new Execution.PayloadMismatch({ workflow: name, businessKey, differs })
      })

    /** The result of an execution, if it has one. */
    const resultOf = (workflow: Workflow.Any, executionId: string) =>
      Effect.gen(function* () {
        const execution = yield* stored(store.read(executionId))
        yield* Effect.orDie(Effect.transposeMapOption(execution, unlessPurged))
        const exit = Option.flatMap(execution, transitions.endOf)
        if (Option.isSome(exit)) {
          const end = yield* Effect.orDie(codecs.exitCodec(workflow).fromJson(exit.value))
          return new Workflow.Complete({ exit: end })
        }
        const isWaiting = Option.exists(execution, ({ pause }) => pause !== undefined)
        return isWaiting ? new Workflow.Suspended({}) : undefined
      })

    /** Runs an activity in the fiber of its execution, and stores its result in one statement. */
    const activityExecute = (activity: Activity.Any, attempt: number) =>
      Effect.gen(function* () {
        const run = yield* current
        const { workflow } = yield* WorkflowEngine.WorkflowInstance
        const { execution } = run
        const name = `${activity.name}/${attempt}`
        const results = yield* resultsOf(run)
        const known = results.get(name)
        if (known !== undefined) {
          return new Workflow.Complete({
            exit: yield* Effect.orDie(codecs.stepCodec.fromJson(known))
          })
        }
        const own = WorkflowEngine.WorkflowInstance.initial(workflow, execution.executionId)
        const result = yield* activity.executeEncoded.pipe(
          Workflow.intoResult,
          Effect.provideService(WorkflowEngine.WorkflowInstance, own)
        )
        if (result._tag === "Suspended") return result
        const exit = yield* Effect.orDie(codecs.stepCodec.toJson(result.exit))
        const kept = yield* keep(run, name, exit)
        return kept === exit
          ? result
          : new Workflow.Complete({ exit: yield* Effect.orDie(codecs.stepCodec.fromJson(kept)) })
      })

    const execute = (
      workflow: Workflow.Any,
      { discard, executionId, parent, payload }: Parameters<WorkflowEngine.Encoded["execute"]>[1]
    ): Effect.Effect<Workflow.Result<unknown, unknown> | void> =>
      Effect.gen(function* () {
        const started = record(workflow, executionId, payload, parent?.executionId)
        // A body waits for the database. Another caller hears of it.
        yield* Effect.orDie(parent === undefined ? started : stored(started))
        if (discard) return
        const result = yield* resultOf(workflow, executionId)
        if (result?._tag === "Complete") return result
        // Its end wakes the parent.
        if (parent !== undefined) {
          const run = runs.get(parent.executionId)
          const pause = `${transitions.child}/${executionId}`
          run?.pauses.add(pause)
          run?.clocks.set(pause, (yield* Clock.currentTimeMillis) + childMillis)
          return new Workflow.Suspended({})
        }
        return yield* untilEnd(
          executionId,
          Effect.map(resultOf(workflow, executionId), (result) =>
            result?._tag === "Complete" ? Option.some(result) : Option.none()
          )
        )
      })

    const engine = WorkflowEngine.makeUnsafe({
      register: (workflow, execute) =>
        Effect.gen(function* () {
          const { name } = workflow
          if (workflows.has(name)) {
            return yield* Effect.die(new Execution.DuplicateWorkflow({ workflow: name }))
          }
          // Runs end together, after nothing more begins.
          const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
          // The services of its layer, and not of whoever starts an execution: such as the account of another tenant.
          const runtime = Runtime.updateContext(
            yield* Effect.runtime<never>(),
            Context.omit(WorkflowEngine.WorkflowInstance, Scope.Scope, Tracer.ParentSpan)
          )
          workflows.set(name, { workflow, execute, runtime, scope })
          yield* Effect.addFinalizer(() => Effect.sync(() => workflows.delete(name)))
          yield* Effect.forkScoped(takeDue)
        }),
      // A conditional type, which TypeScript cannot narrow.
      execute: execute as WorkflowEngine.Encoded["execute"],
      poll: resultOf,
      interrupt: (_, executionId) => wake(executionId, transitions.interrupted),
      resume: (_, executionId) => wake(executionId, transitions.resumed),
      activityExecute,
      deferredResult: ({ name }) =>
        Effect.gen(function* () {
          const run = yield* current
          if (name.startsWith(prefix)) {
            const pause = name.slice(prefix.length)
            if (yield* isOver(run, pause)) return Exit.void
            run.pauses.add(pause)
            return undefined
          }
          const steps = yield* stored(store.steps(run.execution.executionId))
          const signal = steps.find((step) => step.name === signalName(name))
          return signal && (yield* Effect.orDie(codecs.stepCodec.fromJson(signal.exit)))
        }),
      deferredDone: ({ deferredName, executionId, exit }) =>
        Effect.gen(function* () {
          const step = {
            name: signalName(deferredName),
            exit: yield* Effect.orDie(codecs.stepCodec.toJson(exit)),
            storedMillis: yield* Clock.currentTimeMillis
          }
          const isNew = yield* stored(store.signal(executionId, step))
          const body = yield* Effect.serviceOption(WorkflowEngine.WorkflowInstance)
          // A body sends its own signals again whenever it runs again.
          const isOwn = Option.exists(body, (body) => body.executionId === executionId)
          if (isNew || !isOwn) yield* wake(executionId, transitions.woken)
        }),
      scheduleClock: (_, { clock, executionId }) =>
        Effect.gen(function* () {
          const run = runs.get(executionId)
          if (run === undefined || run.clocks.has(clock.name)) return
          const now = yield* Clock.currentTimeMillis
          const dueMillis = now + Duration.toMillis(clock.duration)
          run.clocks.set(clock.name, Math.min(dueMillis, transitions.never))
        })
    })

    const look = Effect.suspend(() => {
      nextMillis = Infinity
      return takeDue
    })
    const pollMillis = Duration.toMillis(pollInterval)
    const rest: Effect.Effect<void> = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const millis = Math.min(pollMillis, Math.max(shortestPollMillis, nextMillis - now))
      const isChanged = Option.isSome(yield* Effect.timeoutOption(changed.await, millis))
      if (!isChanged) return
      changed.unsafeClose()
      yield* rest
    })
    yield* again(look, rest)
    yield* again(measure, Effect.sleep(metricsInterval))
    yield* beat
    yield* again(Effect.delay(beat, beatInterval), Effect.void)
    yield* again(freeIdle, Effect.sleep(beatInterval))

    /** Whether a pause ends an execution that is to be cancelled. It is stored: later, the pause may be over. */
    const isCancelledAt = (run: Run, pause: string) =>
      Effect.gen(function* () {
        const name = `cancelled/${pause}/1`
        if ((yield* resultsOf(run)).has(name)) return true
        if (!run.isCancelRequested || (yield* isOver(run, pause))) return false
        yield* keep(run, name, yield* Effect.orDie(codecs.stepCodec.toJson(Exit.void)))
        return true
      })

    const knows = Effect.map(current, (run): blocks.Known => ({
      key: run.execution.businessKey,
      isCancelled: (pause) =>
        pause === undefined ? Effect.sync(() => run.isCancelRequested) : isCancelledAt(run, pause)
    }))
    const isHealthy = Effect.suspend(() => store.runners.beat(runner)).pipe(
      Effect.timeout(healthTimeout),
      Effect.orElseSucceed(() => false)
    )
    return Context.make(WorkflowEngine.WorkflowEngine, blocks.withKnowledge(engine, knows)).pipe(
      Context.add(Engine.Engine, { ...store, untilEnd }),
      Context.add(Engine.Runner, { isHealthy })
    )
  })

/** Does something now and again, whatever comes of it. */
const again = <A, B, R>(effect: Effect.Effect<A, never, R>, pause: Effect.Effect<B>) =>
  effect.pipe(
    Effect.catchAllCause((cause) => Effect.logError("A defect in the engine of workflows", cause)),
    Effect.zipRight(pause),
    Effect.forever,
    Effect.forkScoped
  )

/** How an execution ended. */
const stateOf = Exit.match({
  onSuccess: (): Execution.EndState => "Succeeded",
  onFailure: (cause): Execution.EndState =>
    cause._tag === "Fail" || Cause.isInterruptedOnly(cause) ? "Failed" : "Died"
})

/**
 * Effect's engine on a store of executions, in which an operator finds them by key. A runner owns an execution while
 * it runs its body. Whatever it stores counts only while it does.
 *
 * `ClusterWorkflowEngine` keeps each step as a message, which costs four times as much, loses wake-ups
 * (Effect-TS/effect #6318, #8195), and fails executions whose database is away.
 */
export const layer = (store: store.Store, options: Options) =>
  Layer.scopedContext(make(store, options))
