import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Body from "../Body.js"
import type * as Execution from "../Execution.js"
import * as begun from "./begun.js"
import * as blockRun from "./blockRun.js"
import * as bodies from "./bodies.js"
import * as ends from "./ends.js"
import * as metrics from "./metrics.js"
import type { Runs } from "./run.js"
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
/** A runner looks for executions that are due at most this often: the precision of durable pauses in memory. */
const shortestPollMillis = 1_000
const metricsInterval = Duration.minutes(1)
/** The executions of a runner that cannot say that it ends are freed when its silence is noticed. */
const leaveTimeout = Duration.seconds(2)

/** The part of this process in the executions of a store: it owns some, and runs their bodies. */
export const make = (runs: Runs, { beatInterval, pollInterval }: Options) =>
  Effect.gen(function* () {
    const { persistently, store } = runs
    const workflows = new Map<string, bodies.Registered>()
    /** By workflow: executions that this runner runs, and those that it may be about to run. */
    const places = new Map<string, number>()
    const addPlaces = (workflow: string, count: number) =>
      places.set(workflow, (places.get(workflow) ?? 0) + count)
    const roomOf = (workflow: string) => mostRunning - (places.get(workflow) ?? 0)
    /** Executions that this runner owned and did not run at the last beat. */
    let idle = new Set<string>()
    const { tell, untilEnd } = ends.make(store.read, (executionId) => runs.all.has(executionId))
    const { join } = store.runners
    let runner = yield* join
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => store.runners.leave(runner)).pipe(
        Effect.interruptible,
        Effect.timeout(leaveTimeout),
        Effect.ignore
      )
    )

    const { bodyOf } = bodies.make(runs, {
      onRelease: (dueMillis) => noteDue(dueMillis),
      onEnd: (execution) =>
        Effect.suspend(() => {
          runs.all.delete(execution.executionId)
          tell(execution.executionId, Option.some(execution))
          return free(execution)
        })
    })

    /** Runs an execution that this runner owns. An earlier run has ended, or has lost it. */
    const begin = (execution: Execution.Execution, isNew = false): void => {
      const { executionId, workflow } = execution
      const earlier = runs.all.get(executionId)?.fiber
      if (earlier !== undefined) {
        earlier.addObserver(() => begin(execution))
        return earlier.unsafeInterruptAsFork(earlier.id())
      }
      const registered = workflows.get(workflow)
      if (registered === undefined || execution.runner === undefined) return
      const run = blockRun.begin(runs, execution, execution.runner, registered.workflow)
      runs.all.set(executionId, run)
      addPlaces(workflow, 1)
      const ended = Effect.sync(() => {
        runs.all.delete(executionId)
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

    /** The earliest known time at which an execution is due. */
    let nextMillis = Infinity
    /** Opens when an execution is due earlier than that. */
    const changed = yield* Effect.makeLatch()
    const noteDue = (dueMillis: number) => {
      if (dueMillis >= nextMillis) return
      nextMillis = dueMillis
      changed.unsafeOpen()
    }
    /** Something is due that somebody waits for. */
    const takeNow = Effect.sync(() => noteDue(-Infinity))

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
    }).pipe(persistently)

    /** Wakes an execution, and looks for what is due now. */
    const wake = (executionId: string) =>
      Effect.zipRight(persistently(store.wake(executionId)), takeNow)

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
        for (const { fiber } of runs.all.values()) fiber?.unsafeInterruptAsFork(fiber.id())
      }
      yield* freeAll(yield* store.runners.reap(runner))
    }).pipe(persistently)

    const freeIdle = Effect.gen(function* () {
      // The response to a statement that gave it an execution may have been lost.
      const owned = yield* store.owned(runner)
      const lost = owned.filter((executionId) => !runs.all.has(executionId))
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
      insert,
      wake,
      takeNow,
      untilEnd,
      beats: Effect.suspend(() => store.runners.beat(runner))
    }
  })

/** Repeats an effect with a pause between, also after a defect, which it logs. */
const again = <A, B, R>(effect: Effect.Effect<A, never, R>, pause: Effect.Effect<B>) =>
  effect.pipe(
    Effect.catchAllCause((cause) => Effect.logError("A defect in the engine of workflows", cause)),
    Effect.zipRight(pause),
    Effect.forever,
    Effect.forkScoped
  )
