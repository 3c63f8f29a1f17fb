/**
 * Reads the services of a fiber directly, and sleeps on its clock with only a timer. An effect for each
 * service is slower, and `Effect.timeout` would race two fibers.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import type * as MetricLabel from "effect/MetricLabel"
import * as Runtime from "effect/Runtime"
import type * as Scheduler from "effect/Scheduler"
import * as Tracer from "effect/Tracer"

export type Running = Fiber.RuntimeFiber<unknown, unknown>

export const contextOf = (fiber: Running): Context.Context<never> => fiber.currentContext

export const clockOf = (fiber: Running): Clock.Clock =>
  Context.get(fiber.getFiberRef(DefaultServices.currentServices), Clock.Clock)

export const metricLabelsOf = (fiber: Running): ReadonlyArray<MetricLabel.MetricLabel> =>
  fiber.getFiberRef(FiberRef.currentMetricLabels)

const schedulerOf = (fiber: Running): Scheduler.Scheduler =>
  fiber.getFiberRef(FiberRef.currentScheduler)

const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether a tracer is installed: spans of Effect's default tracer are not exported. */
export const isTraced = (fiber: Running): boolean =>
  Context.get(fiber.getFiberRef(DefaultServices.currentServices), Tracer.Tracer) !==
    defaultTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled)

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

/**
 * Runs an effect in a fiber of its own, in the caller's context, and returns its exit, or `undefined`
 * after `millis`. It starts immediately, and sets a timer only if it has to wait. It is interruptible,
 * even if its caller is not, and does not delay the caller after the timeout.
 */
export const within = <A, E>(
  millis: number,
  effect: Effect.Effect<A, E>
): Effect.Effect<Exit.Exit<A, E> | undefined> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiberRuntime((fiber) => {
      const child = Runtime.runFork(runtimeOf(fiber), effect)
      const ended = child.unsafePoll()
      if (ended !== null) return Effect.succeed(ended)
      const waiting = Effect.async<Exit.Exit<A, E> | undefined>((resume) => {
        const cancel = schedule(fiber, millis, () => {
          child.unsafeInterruptAsFork(FiberId.none)
          resume(Effect.succeed(undefined))
        })
        child.addObserver((exit) => {
          cancel()
          resume(Effect.succeed(exit))
        })
      })
      return Effect.onInterrupt(restore(waiting), () => Fiber.interrupt(child))
    })
  )

const runtimeOf = (fiber: Running): Runtime.Runtime<never> =>
  Runtime.make({
    context: contextOf(fiber),
    fiberRefs: fiber.getFiberRefs(),
    runtimeFlags: Runtime.defaultRuntimeFlags
  })
