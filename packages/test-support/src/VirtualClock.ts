/**
 * Virtual time that jumps from one wake-up to the next. TestClock waits for several milliseconds of real
 * time before each of them, and keeps sleepers that were interrupted: hours of pauses take it minutes.
 *
 * Time stands still while a fiber can run, or waits for a digest or for what is `outside`. It does not wait for other files
 * or sockets.
 */
import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import type { Steps } from "./Steps.js"
import * as Time from "./Time.js"

let outsiders = 0

/** Time stands still while an effect waits for something that takes real time, such as a database. */
export const outside = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => outsiders++),
    () => effect,
    () => Effect.sync(() => outsiders--)
  )

// Digests on another thread, from which the engine of workflows makes the ids of executions.
const digest = crypto.subtle.digest.bind(crypto.subtle)
crypto.subtle.digest = (...input) => {
  outsiders++
  return digest(...input).finally(() => outsiders--)
}

/** Counts the tasks of fibers. */
class CountingScheduler extends Scheduler.MixedScheduler {
  private scheduled = 0
  private ended = 0

  constructor() {
    super(2048)
  }

  override scheduleTask(task: Scheduler.Task, priority: number) {
    this.scheduled++
    super.scheduleTask(() => {
      this.ended++
      task()
    }, priority)
  }

  /** Ends when no fiber ran for two turns of the event loop, and none is about to run. */
  readonly idle = Effect.async<void>((resume) => {
    let quietTurns = 0
    let before = this.scheduled
    const look = () => {
      const isQuiet = this.scheduled === before && this.ended === before && outsiders === 0
      quietTurns = isQuiet ? quietTurns + 1 : 0
      before = this.scheduled
      if (quietTurns === 2) resume(Effect.void)
      else immediate = setImmediate(look)
    }
    let immediate = setImmediate(look)
    return Effect.sync(() => clearImmediate(immediate))
  })
}

export class VirtualClock implements Clock.Clock {
  readonly [Clock.ClockTypeId]: Clock.ClockTypeId = Clock.ClockTypeId
  private readonly scheduler = new CountingScheduler()
  private readonly time: Time.Time
  readonly unsafeCurrentTimeMillis: Clock.Clock["unsafeCurrentTimeMillis"]
  readonly unsafeCurrentTimeNanos: Clock.Clock["unsafeCurrentTimeNanos"]
  readonly currentTimeMillis: Clock.Clock["currentTimeMillis"]
  readonly currentTimeNanos: Clock.Clock["currentTimeNanos"]
  readonly sleep: Clock.Clock["sleep"]

  /** With a tick, all sleepers that are due within one are woken together. Otherwise each has its turn. */
  constructor(tickMillis?: number) {
    this.time = Time.make(
      tickMillis === undefined ? { wakes: "one" } : { tickMillis, wakes: "all" }
    )
    const { clock } = this.time
    this.unsafeCurrentTimeMillis = clock.unsafeCurrentTimeMillis
    this.unsafeCurrentTimeNanos = clock.unsafeCurrentTimeNanos
    this.currentTimeMillis = clock.currentTimeMillis
    this.currentTimeNanos = clock.currentTimeNanos
    this.sleep = clock.sleep
  }

  /** Runs an effect in this time. */
  readonly provide = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(Effect.withClock(this), Effect.withScheduler(this.scheduler))

  /** Lets every fiber run until it sleeps. */
  readonly settle = this.scheduler.idle

  isIdle = () => this.time.sleepers() === 0

  /** Lets time pass until a fiber ends. */
  runUntil<A, E>(fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> {
    const isEnded = Effect.map(Effect.zipRight(this.settle, Fiber.poll(fiber)), Option.isSome)
    return Effect.repeat(isEnded, {
      until: (ended) => ended || !this.time.wakeNext()
    })
  }

  pass(duration: Duration.DurationInput): Effect.Effect<void> {
    return Effect.suspend(() => {
      const end = this.time.elapsedMillis() + Duration.toMillis(duration)
      return Effect.repeat(this.settle, { until: () => !this.time.wakeNext(end) })
    })
  }
}

/** A test that runs in virtual time. */
export const test = <A, E>(name: string, self: () => Effect.Effect<A, E, Scope.Scope>) =>
  it.scoped(name, () => new VirtualClock().provide(self()))

/** Defines tests that run in virtual time, each over a layer of its own. */
export const tests =
  <A>(layer: Layer.Layer<A, unknown>) =>
  (title: string, steps: () => Steps<NoInfer<A> | Scope.Scope>) =>
    test(title, () => Effect.provide(Effect.gen(steps), layer))

/** Lets virtual time pass, in a test. */
export const pass = (duration: Duration.DurationInput): Effect.Effect<void> =>
  Effect.clockWith((clock) =>
    clock instanceof VirtualClock
      ? clock.pass(duration)
      : Effect.dieMessage("time passes only in VirtualClock.test")
  )
