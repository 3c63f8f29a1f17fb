/**
 * Reads the services of a fiber directly, which is faster than an effect for each. No other module
 * accesses fiber refs.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import type * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import type * as MetricLabel from "effect/MetricLabel"
import type * as Scheduler from "effect/Scheduler"
import * as Tracer from "effect/Tracer"

export type Running = Fiber.RuntimeFiber<unknown, unknown>

export const clockOf = (fiber: Running): Clock.Clock =>
  Context.get(fiber.getFiberRef(DefaultServices.currentServices), Clock.Clock)

export const metricLabelsOf = (fiber: Running): ReadonlyArray<MetricLabel.MetricLabel> =>
  fiber.getFiberRef(FiberRef.currentMetricLabels)

export const schedulerOf = (fiber: Running): Scheduler.Scheduler =>
  fiber.getFiberRef(FiberRef.currentScheduler)

const defaultTracer = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether a tracer is installed: spans of Effect's default tracer are not exported. */
export const isTraced = (fiber: Running): boolean =>
  Context.get(fiber.getFiberRef(DefaultServices.currentServices), Tracer.Tracer) !==
    defaultTracer && fiber.getFiberRef(FiberRef.currentTracerEnabled)
