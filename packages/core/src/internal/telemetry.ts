/**
 * What an operation tells of itself: one span with its attempts as events, and metrics. Names,
 * templates, statuses and counts only.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import * as unforeseen from "./unforeseen.js"

const calls = Metric.counter("manilla_calls", {
  description: "Calls by operation and outcome",
  incremental: true
})
const attempts = Metric.counter("manilla_attempts", {
  description: "Requests sent, by operation",
  incremental: true
})
const retries = Metric.counter("manilla_retries", {
  description: "Requests sent again, by operation and reason",
  incremental: true
})
const latency = Metric.histogram(
  "manilla_call_duration_ms",
  MetricBoundaries.exponential({ start: 5, factor: 2, count: 15 }),
  "Milliseconds a call took with its retries, by operation"
)

/** The span of the call, where spans are made at all. */
export const currentSpan: Effect.Effect<Option.Option<Tracer.Span>> = Effect.option(
  Effect.currentSpan
)

export interface Telemetry {
  readonly sent: Effect.Effect<void>
  /** Notes in the span how an attempt ended. */
  readonly attempted: (number: number, result: string) => Effect.Effect<void>
  readonly retry: (reason: string) => Effect.Effect<void>
  readonly end: (outcome: string, millis: number) => Effect.Effect<void>
  readonly span: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Made once for each value: a tag costs more than the count. */
const taggedBy = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>, name: string) => {
  const made = new Map<string, Metric.Metric<Type, In, Out>>()
  return (value: string): Metric.Metric<Type, In, Out> => {
    const known = made.get(value)
    if (known !== undefined) return known
    const tagged = Metric.tagged(metric, name, value)
    made.set(value, tagged)
    return tagged
  }
}

export const make = (operation: {
  readonly name: string
  readonly method: string
  readonly template: string
  readonly replay: string
}): Telemetry => {
  const own = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>) =>
    Metric.tagged(metric, "operation", operation.name)
  const [ownCalls, ownAttempts, ownRetries] = [own(calls), own(attempts), own(retries)]
  const byReason = taggedBy(ownRetries, "reason")
  const byOutcome = taggedBy(ownCalls, "outcome")
  const ownLatency = own(latency)
  const attributes = {
    "manilla.operation": operation.name,
    "manilla.replay": operation.replay,
    "http.request.method": operation.method,
    "url.template": operation.template
  }
  return {
    sent: Metric.update(ownAttempts, 1),
    attempted: (number, result) =>
      Effect.flatMap(
        currentSpan,
        Option.match({
          onNone: () => Effect.void,
          onSome: (span) =>
            unforeseen.ignore(
              Effect.map(Clock.currentTimeNanos, (nanos) =>
                span.event("attempt", nanos, {
                  "manilla.attempt": number,
                  "manilla.result": result
                })
              )
            )
        })
      ),
    retry: (reason) => Metric.update(byReason(reason), 1),
    end: (outcome, millis) =>
      Effect.zipRight(Metric.update(byOutcome(outcome), 1), Metric.update(ownLatency, millis)),
    span: (effect) =>
      unforeseen.around(effect, (inner) =>
        Effect.withSpan(inner, operation.name, {
          kind: "client",
          captureStackTrace: false,
          attributes
        })
      )
  }
}
