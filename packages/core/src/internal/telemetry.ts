/**
 * What an operation tells of itself: one span with its attempts as events, and metrics. Names,
 * templates, statuses and counts only. Metrics are made once, and a span only if somebody listens.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import type * as Tracer from "effect/Tracer"
import { isTraced, metricLabelsOf } from "./fiber.js"
import type { Running } from "./fiber.js"

const calls = MetricKey.counter("manilla_calls", {
  description: "Calls by operation and outcome",
  incremental: true
})
const attempts = MetricKey.counter("manilla_attempts", {
  description: "Requests sent, by operation",
  incremental: true
})
const retries = MetricKey.counter("manilla_retries", {
  description: "Requests sent again, by operation and reason",
  incremental: true
})
const latency = MetricKey.histogram(
  "manilla_call_duration_ms",
  MetricBoundaries.exponential({ start: 5, factor: 2, count: 15 }),
  "Milliseconds a call took with its retries, by operation"
)

export interface Telemetry {
  readonly sent: (fiber: Running) => void
  readonly retry: (fiber: Running, reason: string) => void
  readonly ended: (fiber: Running, outcome: string, millis: number) => void
  /** Runs a call in its span, if somebody listens. */
  readonly spanned: <A, E>(
    fiber: Running,
    clock: Clock.Clock,
    call: (span: Tracer.Span | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** Tags are part of the key: to add them at each update costs more than the count. */
const tagged = (key: MetricKey.MetricKey<typeof calls.keyType>, name: string) => {
  const made = new Map<string, Metric.Metric.Counter<number>>()
  return (value: string): Metric.Metric.Counter<number> => {
    const known = made.get(value)
    if (known !== undefined) return known
    const metric = Metric.fromMetricKey(
      MetricKey.taggedWithLabels(key, [MetricLabel.make(name, value)])
    )
    made.set(value, metric)
    return metric
  }
}

export const make = (operation: {
  readonly name: string
  readonly method: string
  readonly template: string
  readonly replay: string
}): Telemetry => {
  const own = [MetricLabel.make("operation", operation.name)]
  const ownAttempts = Metric.fromMetricKey(MetricKey.taggedWithLabels(attempts, own))
  const ownLatency = Metric.fromMetricKey(MetricKey.taggedWithLabels(latency, own))
  const byReason = tagged(MetricKey.taggedWithLabels(retries, own), "reason")
  const byOutcome = tagged(MetricKey.taggedWithLabels(calls, own), "outcome")
  const attributes = {
    "manilla.operation": operation.name,
    "manilla.replay": operation.replay,
    "http.request.method": operation.method,
    "url.template": operation.template
  }
  return {
    sent: (fiber) => ownAttempts.unsafeUpdate(1, metricLabelsOf(fiber)),
    retry: (fiber, reason) => byReason(reason).unsafeUpdate(1, metricLabelsOf(fiber)),
    ended: (fiber, outcome, millis) => {
      const labels = metricLabelsOf(fiber)
      byOutcome(outcome).unsafeUpdate(1, labels)
      ownLatency.unsafeUpdate(millis, labels)
    },
    spanned: (fiber, clock, call) =>
      isTraced(fiber)
        ? Effect.flatMap(
            Effect.makeSpan(operation.name, {
              kind: "client",
              captureStackTrace: false,
              attributes
            }),
            (span) =>
              Effect.onExit(call(span), (exit: Exit.Exit<unknown, unknown>) =>
                Effect.sync(() => span.end(clock.unsafeCurrentTimeNanos(), exit))
              )
          )
        : call(undefined)
  }
}

/** Notes in the span how an attempt ended. */
export const attempted = (
  span: Tracer.Span,
  clock: Clock.Clock,
  number: number,
  result: string
): void =>
  span.event("attempt", clock.unsafeCurrentTimeNanos(), {
    "manilla.attempt": number,
    "manilla.result": result
  })

/** The W3C header of the span. */
export const traceparent = ({ sampled, spanId, traceId }: Tracer.Span): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
