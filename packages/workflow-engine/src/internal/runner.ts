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
import * as Order from "effect/Order"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Body from "../Body.js"
import * as Execution from "../Execution.js"
import type * as Store from "../Store.js"
import * as begun from "./begun.js"
import * as codecs from "./codecs.js"
import * as ends from "./ends.js"
import type * as engineStore from "./engineStore.js"
import * as metrics from "./metrics.js"
import type * as owned from "./run.js"
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

/** Runs a body in a fiber of its own, which ends when the body waits. An interrupt of this one cuts the run. */
const exitOf = <A, E, R>(run: owned.Run, body: Effect.Effect<A, E, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const known = Effect.withFiberRuntime<A, E, R>((fiber) => {
        run.body = fiber
        return body
      })
      const fiber = yield* Effect.fork(Effect.interruptible(Effect.scoped(known)))
      const cut = Effect.suspend(() => {
        run.phase = { _tag: "Cut" }
        return Fiber.interrupt(fiber)
      })
      yield* Effect.exit(Effect.onInterrupt(restore(Fiber.await(fiber)), () => cut))
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
  steps: ReturnType<typeof owned.make>,
  persistently: Store.Persistently,
  { beatInterval, pollInterval }: Options
) =>
  Effect.gen(function* () {
    const workflows = new Map<string, Registered>()
    const runs = new Map<string, owned.Run>()
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
      ({ sideEffects }: owned.Run) =>
      (row: Execution.Execution): Execution.Execution => ({
        ...row,
        resource: sideEffects.resource ?? row.resource
      })

    /** Ends a run whose execution has not ended. If it was woken meanwhile, it is due at once. */
    const release = (run: owned.Run, change: engineStore.Change) =>
      Effect.map(steps.change(run, change), (released) => {
        if (Option.isSome(released)) noteDue(released.value.dueMillis || -Infinity)
      })

    /** Stores the pause in which a body waits. */
    const suspend = (run: owned.Run, wait: transitions.Wait) => {
      const clocks = Object.fromEntries(run.clocks)
      const change = transitions.suspended(wait, clocks, run.execution.wakes)
      return release(run, flow(withResource(run), change))
    }

    /** A stored value no longer fits its schema: another process may have a schema that fits. */
    const postpone = (run: owned.Run, error: Error) =>
      Effect.gen(function* () {
        yield* Effect.logError(error.message)
        const now = yield* store.runners.now
        yield* release(run, transitions.postponed(now + unreadableMillis))
      })

    /** Stores the end of an execution, and tells those who wait for it. */
    const end = (run: owned.Run, { workflow }: Registered, exit: Exit.Exit<unknown, unknown>) =>
      Effect.gen(function* () {
        const { businessKey, executionId } = run.execution
        const subject = `${workflow.name}: the end of ${businessKey}`
        const codec = codecs.endCodec(workflow)
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
        const changed = yield* steps.change(run, flow(withResource(run), change))
        // It may have been stored by a statement whose answer was lost.
        const stored = Option.isSome(changed)
          ? changed
          : yield* persistently(store.read(executionId))
        const ended = Option.filter(stored, ({ end }) => end !== undefined)
        if (Option.isNone(ended)) return
        yield* metrics.onEnd(workflow, state)
        runs.delete(executionId)
        tell(executionId, ended)
        yield* free(ended.value)
      })

    /** Decides what follows a body that has ended, or waits. */
    const settle = (run: owned.Run, registered: Registered, exit: Exit.Exit<unknown, unknown>) =>
      Effect.gen(function* () {
        const { phase } = run
        if (phase._tag === "Cut") return
        if (phase._tag === "Unreadable") return yield* postpone(run, phase.error)
        if (phase._tag === "Waiting") return yield* suspend(run, phase)
        const ended = phase._tag === "Refused" ? Exit.die(new Error(phase.message)) : alone(exit)
        const { annotations } = registered.workflow
        const staysOpen = Context.get(annotations, Workflow.SuspendOnFailure)
        // One that was asked to end does not wait after a failure.
        if (staysOpen && !run.isCancelRequested && Exit.isFailure(ended)) {
          const cause = yield* codecs.writeCause(ended.cause)
          const pause = Execution.Pause.failed
          return yield* suspend(run, { pause, dueMillis: Execution.never, cause })
        }
        run.phase = { _tag: "Running" }
        const wait = yield* steps.waitForOthers(run)
        yield* wait === undefined ? end(run, registered, ended) : suspend(run, wait)
      })

    const runBody = (run: owned.Run, registered: Registered, isNew: boolean) =>
      Effect.gen(function* () {
        const { execution } = run
        const payload = codecs.readPayload(registered.workflow, execution)
        if (Either.isLeft(payload)) return yield* postpone(run, payload.left)
        if (!isNew) yield* steps.load(run)
        const body = registered.execute(Object(payload.right), execution.executionId)
        yield* settle(run, registered, yield* exitOf(run, body))
      })

    /** One of those runs at a time that may have killed the process, so that another death shows which one it was. */
    const suspects = yield* Effect.makeSemaphore(1)
    const bodyOf = (run: owned.Run, registered: Registered, isNew: boolean) =>
      Effect.gen(function* () {
        const { execution } = run
        if (transitions.isPoison(execution)) {
          const { businessKey, deaths, step, workflow } = execution
          const where = step === undefined ? "its body" : `the step "${step}"`
          yield* Effect.logError(
            `${workflow}: ${businessKey} is parked: its process died ${deaths} times in ${where}. A resume tries again.`
          )
          return yield* release(run, transitions.parked)
        }
        if (!transitions.isSuspect(execution)) return yield* runBody(run, registered, isNew)
        yield* steps
          .change(run, transitions.suspected)
          .pipe(Effect.zipRight(runBody(run, registered, isNew)), suspects.withPermits(1))
      })

    /** Runs an execution that this runner owns. An earlier run has ended, or has lost it. */
    const begin = (execution: Execution.Execution, isNew = false): void => {
      const { executionId, workflow } = execution
      const earlier = runs.get(executionId)?.fiber
      if (earlier !== undefined) {
        earlier.addObserver(() => begin(execution))
        return earlier.unsafeInterruptAsFork(earlier.id())
      }
      const registered = workflows.get(workflow)
      if (registered === undefined || execution.runner === undefined) return
      const run = steps.begin(execution, execution.runner, registered.workflow)
      runs.set(executionId, run)
      addPlaces(workflow, 1)
      const ended = Effect.sync(() => {
        runs.delete(executionId)
        addPlaces(workflow, -1)
        tell(executionId, Option.none())
      })
      const runtime = Runtime.updateContext(registered.runtime, (context) =>
        Context.add(context, WorkflowEngine.WorkflowInstance, run.instance).pipe(
          Context.add(Body.CurrentRun, Option.some(run))
        )
      )
      const body = Effect.ensuring(bodyOf(run, registered, isNew), ended)
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
              // One that has killed the process once more lets the others go first.
              const inOrder = Arr.sortBy(byDeaths)(taken)
              inOrder.forEach((execution) => begin(execution))
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
    }).pipe(persistently)

    /** Wakes an execution, and looks for what is due now. */
    const wake = (executionId: string) =>
      Effect.zipRight(persistently(store.wake(executionId)), lookNow)

    /** Frees an execution. Those who wait for the end of one are woken before: after a death, another runner does it. */
    const free = (execution: Execution.Execution) =>
      Effect.gen(function* () {
        if (execution.runner === undefined) return
        if (execution.end !== undefined) {
          const waiters = yield* begun.waiters(store, execution)
          yield* Effect.forEach(waiters, wake, { concurrency: "unbounded", discard: true })
        }
        yield* store.modify(execution.executionId, transitions.freed, execution.runner)
      }).pipe(persistently)

    const freeAll = (executionIds: ReadonlyArray<string>) =>
      Effect.forEach(executionIds, (executionId) =>
        Effect.flatMap(
          persistently(store.read(executionId)),
          Option.match({ onNone: () => Effect.void, onSome: free })
        )
      )

    const beat = Effect.gen(function* () {
      if (!(yield* store.runners.beat(runner))) {
        yield* Effect.logWarning("This runner was taken for dead. It continues as a new one.")
        runner = yield* join
        for (const { fiber } of runs.values()) fiber?.unsafeInterruptAsFork(fiber.id())
      }
      yield* freeAll(yield* store.runners.reap(runner))
    }).pipe(persistently)

    const freeIdle = Effect.gen(function* () {
      // The answer to a statement that gave it an execution may have been lost.
      const owned = yield* store.owned(runner)
      const lost = owned.filter((executionId) => !runs.has(executionId))
      yield* freeAll(lost.filter((executionId) => idle.has(executionId)))
      idle = new Set(lost)
    }).pipe(persistently)

    const measure = Effect.gen(function* () {
      const now = yield* store.runners.now
      const open = yield* store.open
      for (const [name, { workflow }] of workflows) {
        yield* metrics.setOpen(workflow, open.get(name), now)
      }
    }).pipe(persistently)

    /** Stores an execution, and runs it if it is new. */
    const insert = (execution: Execution.Execution) =>
      Effect.suspend(() => {
        const owner = canRun(execution.workflow) ? runner : undefined
        const stored = { ...execution, runner: owner }
        return Effect.tap(store.insert(stored), (earlier) =>
          Effect.sync(() => {
            if (Option.isSome(earlier)) return
            if (owner === undefined) noteDue(stored.dueMillis)
            else begin(stored, true)
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

const byDeaths = Order.mapInput(Order.number, ({ deaths }: Execution.Execution) => deaths)

/** Does something now and again, whatever comes of it. */
const again = <A, B, R>(effect: Effect.Effect<A, never, R>, pause: Effect.Effect<B>) =>
  effect.pipe(
    Effect.catchAllCause((cause) => Effect.logError("A defect in the engine of workflows", cause)),
    Effect.zipRight(pause),
    Effect.forever,
    Effect.forkScoped
  )

/** The end of a body without the interrupts of parts beside one that has failed. */
const alone = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
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
