/**
 * Callbacks after a time of the fiber's clock. In real time a callback is one timer of the engine; an
 * `Effect.timeout` would race two fibers, which costs more than the rest of a call.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import { clockOf, schedulerOf } from "./fiber.js"
import type { Running } from "./fiber.js"

/** Engines fire at once after more than this. */
const longestMillis = 2 ** 31 - 1

const realSleep = Clock.make().sleep

/** Calls back once after `millis` of the fiber's clock; returns a function that cancels it. */
export const schedule = (fiber: Running, millis: number, callback: () => void): (() => void) => {
  const clock = clockOf(fiber)
  // A clock of tests or of a simulation knows no callbacks: there another fiber sleeps.
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

/** Suspends the fiber for a time of its clock, with nothing but a timer beside it. */
export const sleep = (millis: number): Effect.Effect<void> =>
  Effect.withFiberRuntime((fiber) => {
    const sleeper = makeSleeper(fiber)
    return Effect.onInterrupt(sleeper.sleep(millis), () => Effect.sync(sleeper.cancel))
  })

/** The sleeps of one fiber, one after the other. */
export interface Sleeper {
  readonly sleep: (millis: number) => Effect.Effect<void>
  /** For one finalizer around all of them: one around each holds more memory than the sleep. */
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
