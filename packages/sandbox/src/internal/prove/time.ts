/**
 * The time of a proof: virtual for programs that run in turns of the event loop, and real for others. Virtual time jumps
 * to the next wake-up when nothing runs.
 */
import * as FakeTimers from "@sinonjs/fake-timers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Scheduler from "effect/Scheduler"

const { setTimeout: realTimeout } = globalThis

/** A turn of the event loop. Browsers have only timers, and programs in virtual time may have replaced them. */
const turn: (next: () => void) => void =
  typeof setImmediate === "function" ? setImmediate : (next) => void realTimeout(next)

/** The longest time of a timer. As on Effect's clock, a longer one never ends. */
const maxMillis = 2 ** 31 - 1

export interface Time extends ReturnType<typeof make> {}

const make = (timers: FakeTimers.Clock, restore: () => void) => {
  const sleepers = new Set<number>()
  const nowMillis = () => timers.now
  const nowNanos = () => BigInt(timers.now) * 1_000_000n
  const clock: Clock.Clock = {
    ...Clock.make(),
    unsafeCurrentTimeMillis: nowMillis,
    unsafeCurrentTimeNanos: nowNanos,
    currentTimeMillis: Effect.sync(nowMillis),
    currentTimeNanos: Effect.sync(nowNanos),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const millis = Math.ceil(Duration.toMillis(duration))
        if (millis > maxMillis) return
        const timer = timers.setTimeout(() => {
          sleepers.delete(Number(timer))
          resume(Effect.void)
        }, millis)
        sleepers.add(Number(timer))
        return Effect.sync(() => timers.clearTimeout(timer))
      })
  }
  /** Tasks of fibers that have not run yet. */
  let waiting = 0
  let tasks = 0
  /** Runs the tasks of fibers until they are dead. */
  const scheduler = (isAlive: () => boolean = () => true): Scheduler.Scheduler => ({
    shouldYield: (fiber) => (fiber.currentOpCount > 2048 ? 0 : false),
    scheduleTask: (task) => {
      waiting++
      const run = () => {
        waiting--
        if (isAlive()) task()
      }
      // A fiber that never waits must not stop the event loop.
      if (++tasks % 1000 === 0) turn(run)
      else queueMicrotask(run)
    }
  })
  /** Wakes the next sleeper. Returns `false` if none is due until then. */
  const wakeNext = (untilMillis: number): boolean => {
    const next = timers.timerHeap?.peek()?.callAt
    if (next === undefined || next > untilMillis) return false
    timers.next()
    return true
  }
  /**
   * Lets time pass until something is so, and at most so long. Returns whether it is. The patience is how long nothing may
   * happen in real time, such as a query of the store, before virtual time passes.
   */
  const pass = (millis: number, isSo: () => boolean, patienceMillis = 0) =>
    Effect.async<boolean>((resume) => {
      const until = timers.now + millis
      let quietTurns = 0
      let waited = 0
      const look = () => {
        quietTurns = waiting === 0 ? quietTurns + 1 : 0
        if (quietTurns < 2) return turn(look)
        quietTurns = 0
        if (isSo()) resume(Effect.succeed(true))
        else if (wakeNext(until)) {
          waited = 0
          turn(look)
        } else if (waited++ < patienceMillis) realTimeout(look, 1)
        else {
          timers.tick(until - timers.now)
          resume(Effect.succeed(false))
        }
      }
      turn(look)
    })
  /** Forgets the timers of JavaScript, which a dead process has started. */
  const forget = () => {
    for (const timer of timers.timers?.keys() ?? []) {
      if (!sleepers.has(timer)) timers.clearTimeout(timer)
    }
  }
  return { clock, scheduler, pass, forget, restore }
}

const now = Date.UTC(2026, 0, 5, 9)

/** Virtual time for Effect only. */
export const alone = () => make(FakeTimers.createClock(now), () => {})

/** Virtual time that `Date` and the timers of the whole program use too, until it is restored. */
export const install = () => {
  const timers = FakeTimers.install({
    now,
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"]
  })
  const { timeout } = AbortSignal
  AbortSignal.timeout = (millis) => {
    const controller = new AbortController()
    const reason = new DOMException("The operation timed out", "TimeoutError")
    timers.setTimeout(() => controller.abort(reason), millis)
    return controller.signal
  }
  // `node:timers/promises`. Absent in browsers, and in the first versions of Node 20.
  const sync = () => globalThis.process?.getBuiltinModule?.("node:module").syncBuiltinESMExports()
  sync()
  return make(timers, () => {
    timers.uninstall()
    AbortSignal.timeout = timeout
    sync()
  })
}

/** Real time, for processes outside of this program. */
export const real: Time = {
  clock: Clock.make(),
  scheduler: () => Scheduler.defaultScheduler,
  pass: (millis, isSo) =>
    Effect.sync(isSo).pipe(
      Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("10 millis") }),
      Effect.timeoutTo({ duration: millis, onSuccess: () => true, onTimeout: () => false })
    ),
  forget: () => {},
  restore: () => {}
}

/** Runs an effect in a time, until it is dead. */
export const fork = <A, E>(
  { clock, scheduler }: Time,
  effect: Effect.Effect<A, E>,
  isAlive?: () => boolean
) => Effect.runFork(Effect.withClock(effect, clock), { scheduler: scheduler(isAlive) })
