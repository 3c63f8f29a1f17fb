import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
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
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Body from "../Body.js"
import type * as Execution from "../Execution.js"
import * as Store from "../Store.js"
import * as children from "./children.js"
import * as codecs from "./codecs.js"
import * as ends from "./ends.js"
import type * as engineStore from "./engineStore.js"
import * as metrics from "./metrics.js"
import * as ownedRun from "./ownedRun.js"
import * as transitions from "./transitions.js"

export interface Options {
  /** How often a runner looks for executions that are due, if the store does not know when the next one is. */
  readonly pollInterval: Duration.DurationInput
  /** How often a runner shows that it lives. */
  readonly beatInterval: Duration.DurationInput
}

/**
 * The most executions of one workflow that a runner runs at once. Others that are due wait. It is not for all workflows
 * together: those that wait for executions of another one would leave no room for them.
 */
const mostRunning = 1_000
/** The most executions that one statement takes. */
const takeLimit = 100
/** After this time, a runner tries an execution again whose payload it could not read. */
const unreadableMillis = Duration.toMillis("10 seconds")
/** A runner looks for executions that are due at most this often: the precision of durable pauses in memory. */
const shortestPollMillis = 1_000
const metricsInterval = Duration.minutes(1)
/** The executions of a runner that cannot say that it ends are freed when its silence is noticed. */
const leaveTimeout = Duration.seconds(2)

/** Runs an effect in a fiber of its own, which may interrupt itself. An interrupt of this one is passed on. */
const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>, onInterrupt = Effect.void) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(effect)
      const interrupt = Effect.zipRight(onInterrupt, Fiber.interrupt(fiber))
      yield* Effect.exit(Effect.onInterrupt(restore(Fiber.await(fiber)), () => interrupt))
      return yield* Fiber.await(fiber)
    })
  )

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

/** The part of this process in the executions of a store: it owns some, and runs their bodies. */
export const make = (
  store: engineStore.EngineStore,
  { cancel, forBlocks, leave, resultsOf }: ReturnType<typeof ownedRun.make>,
  { beatInterval, pollInterval }: Options
) =>
  Effect.gen(function* () {
    const workflows = new Map<string, Registered>()
    const runs = new Map<string, ownedRun.Run>()
    /** By workflow: executions that this runner runs, and those that it may be about to run. */
    const places = new Map<string, number>()
    const addPlaces = (workflow: string, count: number) =>
      places.set(workflow, (places.get(workflow) ?? 0) + count)
    const roomOf = (workflow: string) => mostRunning - (places.get(workflow) ?? 0)
    /** Executions that this runner owned and did not run at the last beat. */
    let idle = new Set<string>()
    const { tell, untilEnd } = ends.make(store.read, (executionId) => runs.has(executionId))
    const { join } = store.runners
    let runner = yield* join
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => store.runners.leave(runner)).pipe(
        Effect.interruptible,
        Effect.timeout(leaveTimeout),
        Effect.ignore
      )
    )

    /** Stores the id of the last resource with the pause or the end of an execution. */
    const withResource =
      ({ sideEffects }: ownedRun.Run) =>
      (row: Execution.Execution): Execution.Execution => ({
        ...row,
        resource: sideEffects.resource ?? row.resource
      })

    /** Stores the pause in which a body waits. */
    const suspend = (run: ownedRun.Run) =>
      Effect.gen(function* () {
        const { clocks, execution, pauses } = run
        const { wakes } = execution
        const wait = { clocks: Object.fromEntries(clocks), pauses: [...pauses], wakes }
        const change = flow(withResource(run), transitions.suspended(wait))
        const waiting = yield* leave(run, change)
        // If it was woken meanwhile, it is due at once.
        if (Option.isSome(waiting)) noteDue(waiting.value.dueMillis || -Infinity)
      })

    /** A stored value no longer fits its schema: another process may have a schema that fits. */
    const postpone = (run: ownedRun.Run, error: Error) =>
      Effect.gen(function* () {
        yield* Effect.logError(error.message)
        const now = yield* store.runners.now
        yield* leave(run, transitions.postponed(now + unreadableMillis))
      })

    /** Stores the end of an execution, and tells those who wait for it. */
    const end = (run: ownedRun.Run, { workflow }: Registered, exit: Exit.Exit<unknown, unknown>) =>
      Effect.gen(function* () {
        const { businessKey, executionId, parent } = run.execution
        const subject = `${workflow.name}: the end of ${businessKey}`
        const { exit: kept, json } = yield* codecs.endCodec(workflow).store(subject, exit)
        const state = stateOf(kept)
        const atMillis = yield* store.runners.now
        // Without blocks, a body may have applied something that nobody has noted.
        const noted = Body.outcomeOf(run.sideEffects)
        const isKnown = noted !== "notApplied" || run.sideEffects.hasBlocks
        const outcome = isKnown ? noted : undefined
        const change = transitions.ended({ state, atMillis }, json, outcome)
        const changed = yield* leave(run, flow(withResource(run), change))
        // It may have been stored by a statement whose answer was lost.
        const stored = Option.isSome(changed)
          ? changed
          : yield* Store.persistently(store.read(executionId))
        const ended = Option.filter(stored, ({ end }) => end !== undefined)
        if (Option.isNone(ended)) return
        yield* metrics.onEnd(workflow, state)
        runs.delete(executionId)
        tell(executionId, ended)
        if (parent !== undefined) yield* wake(parent)
      })

    /** Decides how a body ends, before its compensations run. */
    const beforeEnd = (
      run: ownedRun.Run,
      instance: WorkflowEngine.WorkflowInstance["Type"],
      exit: Exit.Exit<unknown, unknown>
    ) =>
      Effect.gen(function* () {
        if (run.isCut || run.unreadable !== undefined) {
          // As if it was suspended, its scope stays open, so that nothing is compensated here.
          instance.suspended = true
          return yield* Effect.interrupt
        }
        const isWaiting =
          Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause) && instance.suspended
        if (isWaiting && !ownedRun.isAskedToEnd(run)) return yield* exit
        if (Exit.isFailure(exit)) yield* Effect.interruptible(cancel(run))
        if (isWaiting) {
          instance.interrupted = true
          // That reaches the executions that the body awaits, and not those of a compensation.
          const reached = Effect.sync(() => {
            instance.interrupted = false
          })
          yield* Scope.addFinalizer(instance.scope, reached)
        }
        run.hasEnded = true
        // From now on, it says whether a compensation waits.
        instance.suspended = false
        // One interrupt, because the causes of thousands of waits would be stored.
        return yield* isWaiting ? Effect.interrupt : exit
      })

    const bodyOf = (
      run: ownedRun.Run,
      instance: WorkflowEngine.WorkflowInstance["Type"],
      registered: Registered
    ) =>
      Effect.gen(function* () {
        const { execution } = run
        const payload = codecs.readPayload(registered.workflow, execution)
        if (Either.isLeft(payload)) return yield* postpone(run, payload.left)
        yield* resultsOf(run)

        const body = registered.execute(Object(payload.right), execution.executionId)
        const decided = Effect.flatMap(exitOf(Effect.interruptible(body)), (exit) =>
          beforeEnd(run, instance, exit)
        )
        const cut = Effect.sync(() => {
          run.isCut = true
          // Nothing is compensated here, also if the body has just succeeded.
          instance.suspended = true
        })
        // A compensation that waits interrupts its fiber, whatever else comes of it.
        const settled = Effect.interruptible(Workflow.intoResult(Effect.uninterruptible(decided)))
        const result = yield* exitOf(settled, cut)

        // A run that was cut does not come here.
        if (run.unreadable !== undefined) return yield* postpone(run, run.unreadable)
        const isWaiting = Exit.match(result, {
          onSuccess: ({ _tag }) => _tag === "Suspended",
          onFailure: (cause) => run.hasEnded && instance.suspended && Cause.isInterrupted(cause)
        })
        if (isWaiting) return yield* suspend(run)
        const ended = Exit.flatMap(result, (value) =>
          value._tag === "Complete" ? value.exit : Exit.interrupt(FiberId.none)
        )
        yield* end(run, registered, ended)
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
      const { annotations } = registered.workflow
      // One that was asked to end does not wait after a failure.
      const definition: Workflow.Any = isCancelRequested
        ? {
            ...registered.workflow,
            annotations: Context.add(annotations, Workflow.SuspendOnFailure, false)
          }
        : registered.workflow
      const instance = WorkflowEngine.WorkflowInstance.initial(definition, executionId)
      const run: ownedRun.Run = {
        execution,
        instance,
        runner: execution.runner,
        clocks: new Map(Object.entries(clocks)),
        pauses: new Set(),
        payloads: new Map(),
        children: children.make(),
        results,
        storedMillis: 0,
        isCancelRequested,
        isCut: false,
        hasEnded: false,
        unreadable: undefined,
        sideEffects: Body.noSideEffects(),
        fiber: undefined
      }
      runs.set(executionId, run)
      addPlaces(workflow, 1)
      const ended = Effect.sync(() => {
        runs.delete(executionId)
        addPlaces(workflow, -1)
        tell(executionId, Option.none())
      })
      const runtime = Runtime.updateContext(registered.runtime, (context) =>
        Context.add(context, WorkflowEngine.WorkflowInstance, instance).pipe(
          Context.add(Body.CurrentRun, Option.some(forBlocks(run)))
        )
      )
      const body = Effect.ensuring(bodyOf(run, instance, registered), ended)
      run.fiber = Runtime.runFork(runtime)(body, { scope: registered.scope })
    }

    /** Reserves places of workflows for executions that this runner may be about to run. */
    const claiming =
      (names: ReadonlyArray<string>, count: number) =>
      <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.suspend(() => {
          names.forEach((name) => addPlaces(name, count))
          const ended = Effect.sync(() => names.forEach((name) => addPlaces(name, -count)))
          return Effect.ensuring(effect, ended)
        }).pipe(Effect.uninterruptible)
    const canRun = (workflow: string) => workflows.has(workflow) && roomOf(workflow) >= 0

    /** When something is due, as far as it is known. */
    let nextMillis = Infinity
    /** Opens when there is something to look for earlier than was known. */
    const changed = yield* Effect.makeLatch()
    const noteDue = (dueMillis: number) => {
      if (dueMillis >= nextMillis) return
      nextMillis = dueMillis
      changed.unsafeOpen()
    }
    /** Something is due that somebody waits for. */
    const lookNow = Effect.sync(() => noteDue(-Infinity))

    /** Takes what is due of workflows that have this room, and runs it. Returns whether more may be due. */
    const takeOf = (names: ReadonlyArray<string>, room: number) =>
      Effect.gen(function* () {
        const now = yield* store.runners.now
        const { taken } = yield* store.take(runner, names, now, room).pipe(
          Effect.tap(({ nextMillis, taken }) =>
            Effect.sync(() => {
              taken.forEach((execution) => begin(execution))
              noteDue(nextMillis)
            })
          ),
          claiming(names, room)
        )
        return taken.length === room
      })

    /** Takes what is due and runs it. Only one fiber does: it reserves places for what it may get. */
    const takeDue: Effect.Effect<void> = Effect.gen(function* () {
      // A statement has one limit for all: workflows that are almost full have statements of their own.
      const [few, many] = Arr.partition(workflows.keys(), (name) => roomOf(name) >= takeLimit)
      let isMore = many.length > 0 && (yield* takeOf(many, takeLimit))
      for (const name of few) {
        const room = Math.min(takeLimit, roomOf(name))
        if (room > 0) isMore = (yield* takeOf([name], room)) || isMore
        else noteDue(yield* store.runners.now)
      }
      if (isMore) return yield* Effect.zipRight(Effect.yieldNow(), takeDue)
    }).pipe(Store.persistently)

    /** Wakes an execution, and looks for what is due now. */
    const wake = (executionId: string) =>
      Effect.zipRight(Store.persistently(store.wake(executionId)), lookNow)

    const beat = Effect.gen(function* () {
      if (!(yield* store.runners.beat(runner))) {
        yield* Effect.logWarning("This runner was taken for dead. It continues as a new one.")
        runner = yield* join
        for (const { fiber } of runs.values()) fiber?.unsafeInterruptAsFork(fiber.id())
      }
      yield* store.runners.reap(runner)
    }).pipe(Store.persistently)

    const freeIdle = Effect.gen(function* () {
      // The answer to a statement that gave it an execution may have been lost.
      const owned = yield* store.owned(runner)
      const lost = owned.filter((executionId) => !runs.has(executionId))
      yield* Effect.forEach(
        lost.filter((executionId) => idle.has(executionId)),
        (executionId) => store.modify(executionId, transitions.freed, runner),
        { discard: true }
      )
      idle = new Set(lost)
    }).pipe(Store.persistently)

    const measure = Effect.gen(function* () {
      const now = yield* store.runners.now
      const open = yield* store.open
      for (const [name, { workflow }] of workflows) {
        yield* metrics.setOpen(workflow, open.get(name), now)
      }
    }).pipe(Store.persistently)

    /** Stores an execution, and runs it if it is new. */
    const insert = (execution: Execution.Execution) =>
      Effect.suspend(() => {
        const owner = canRun(execution.workflow) ? runner : undefined
        const stored = { ...execution, runner: owner }
        return Effect.tap(store.insert(stored), (earlier) =>
          Effect.sync(() => {
            if (Option.isSome(earlier)) return
            if (owner === undefined) noteDue(stored.dueMillis)
            else begin(stored, new Map())
          })
        )
      }).pipe(claiming([execution.workflow], 1))

    const look = Effect.suspend(() => {
      nextMillis = Infinity
      return takeDue
    })
    const pollMillis = Duration.toMillis(pollInterval)
    const rest: Effect.Effect<void> = Effect.gen(function* () {
      const now = yield* store.runners.now
      if (nextMillis === -Infinity) return
      const millis = Math.min(pollMillis, Math.max(shortestPollMillis, nextMillis - now))
      changed.unsafeClose()
      if (Option.isSome(yield* Effect.timeoutOption(changed.await, millis))) yield* rest
    })
    yield* again(look, rest)
    yield* again(measure, Effect.sleep(metricsInterval))
    yield* beat
    yield* again(Effect.delay(beat, beatInterval), Effect.void)
    yield* again(freeIdle, Effect.sleep(beatInterval))

    return {
      workflows,
      runs,
      insert,
      wake,
      lookNow,
      untilEnd,
      beats: Effect.suspend(() => store.runners.beat(runner))
    }
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
  onFailure: (cause): Execution.EndState => (Cause.isDie(cause) ? "Died" : "Failed")
})
