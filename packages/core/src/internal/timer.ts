/**
 * Timers on the fiber's clock. In real time a timer is one `setTimeout`; `Effect.timeout` would race
 * two fibers, which is slower than the rest of a call.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { clockOf, schedulerOf } from "./fiber.js"
import type { Running } from "./fiber.js"

/** The maximum delay of `setTimeout`: a longer one fires immediately. */
const longestMillis = 2 ** 31 - 1

const realSleep = Clock.make().sleep

/** Runs `callback` once after `millis` on the fiber's clock. Returns a function that cancels it. */
export const schedule = (fiber: Running, millis: number, callback: () => void): (() => void) => {
  const clock = clockOf(fiber)
  // The clock of a test or simulation has no callbacks, so another fiber sleeps.
  if (clock.sleep !== realSleep) {
    const sleeper = Effect.runFork(clock.sleep(Duration.millis(millis)), {
      scheduler: schedulerOf(fiber)
    })
    sleeper.addObserver((exit) => {
      if (Exit.isSuccess(exit)) callback()
    })
    return () => sleeper.unsafeInterruptAsFork(FiberId.none)
  }
  const timer = setTimeout(callback, Math.min(millis, longestMillis))
  return () => clearTimeout(timer)
}

/** Sleeps on the fiber's clock, with only a timer. */
export const sleep = (millis: number): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const sleeper = makeSleeper(fiber)
    return Effect.onInterrupt(sleeper.sleep(millis), () => Effect.sync(sleeper.cancel))
  })

/** Sequential sleeps of one fiber. */
export interface Sleeper {
  readonly sleep: (millis: number) => Effect.Effect<void>
  /** For one finalizer around all sleeps: a finalizer for each needs more memory than the sleep. */
  readonly cancel: () => void
}

export const makeSleeper = (fiber: Running): Sleeper => {
  let cancel = () => {}
  return {
    sleep: (millis) =>
      Effect.async((resume) => {
        cancel = schedule(fiber, millis, () => resume(Effect.void))
      }),
    cancel: () => cancel()
  }
}
