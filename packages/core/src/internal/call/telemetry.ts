/**
 * Metrics of an operation, and a span for each call with its attempts as events. They contain names,
 * path templates, statuses, ids, counts, and the sanitized messages of errors and logs. Without a tracer
 * no span is created.
 */
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import type * as Operation from "../../Operation.js"
import type { Reading } from "../body/reading.js"
import { clockOf, isTraced, metricLabelsOf } from "../wait/fiber.js"
import type { Running } from "../wait/fiber.js"
import type { Meta } from "../body/response.js"
import type { Root } from "../transport/rootUrl.js"

const calls = MetricKey.counter("manilla_calls", {
  description: "Calls by operation and result",
  incremental: true
})
const attempts = MetricKey.counter("manilla_attempts", {
  description: "Attempts by operation",
  incremental: true
})
const retries = MetricKey.counter("manilla_retries", {
  description: "Retries by operation and reason",
  incremental: true
})
const latency = MetricKey.histogram(
  "manilla_call_duration_ms",
  MetricBoundaries.exponential({ start: 5, factor: 2, count: 15 }),
  "Milliseconds of calls with their retries, by operation"
)

/** Caches a metric for each label value: adding a label at each update is slower than the update. */
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

export const make = (
  name: string,
  { method, path, replay }: Operation.Operation,
  { hostname, port }: Root
) => {
  const labels = [MetricLabel.make("operation", name)]
  const attemptCount = Metric.fromMetricKey(MetricKey.taggedWithLabels(attempts, labels))
  const duration = Metric.fromMetricKey(MetricKey.taggedWithLabels(latency, labels))
  const byReason = tagged(MetricKey.taggedWithLabels(retries, labels), "reason")
  const byResult = tagged(MetricKey.taggedWithLabels(calls, labels), "result")
  const attributes = {
    "manilla.operation": name,
    "manilla.replay": replay._tag,
    "http.request.method": method,
    "url.template": path,
    "server.address": hostname,
    "server.port": port
  }
  return {
    sent: (fiber: Running): void => attemptCount.unsafeUpdate(1, metricLabelsOf(fiber)),
    retry: (fiber: Running, reason: string): void =>
      byReason(reason).unsafeUpdate(1, metricLabelsOf(fiber)),
    ended: (
      fiber: Running,
      span: Tracer.Span | undefined,
      exit: Exit.Exit<unknown, { readonly _tag: string }>,
      millis: number
    ): void => {
      const result = resultOf(exit)
      const callerLabels = metricLabelsOf(fiber)
      byResult(result).unsafeUpdate(1, callerLabels)
      duration.unsafeUpdate(millis, callerLabels)
      if (Exit.isFailure(exit)) span?.attribute("error.type", result)
    },
    spanned: <A, E>(
      fiber: Running,
      call: (span: Tracer.Span | undefined) => Effect.Effect<A, E>
    ): Effect.Effect<A, E> => inSpan(name, { kind: "client", attributes }, fiber, call)
  }
}

/** Runs a call in a span, if there is a tracer. */
const inSpan = <A, E>(
  name: string,
  options: Tracer.SpanOptions,
  fiber: Running,
  call: (span: Tracer.Span | undefined) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  isTraced(fiber)
    ? Effect.flatMap(Effect.makeSpan(name, { ...options, captureStackTrace: false }), (span) =>
        // As the current span: the logs of the call and its request for a token belong to it.
        Effect.onExit(Effect.withParentSpan(call(span), span), (exit) =>
          Effect.sync(() => span.end(clockOf(fiber).unsafeCurrentTimeNanos(), exit))
        )
      )
    : call(undefined)

/** Adds an attempt to the span as an event, and the status and ids of its response as attributes. */
export const attempted = (
  span: Tracer.Span,
  clock: Clock.Clock,
  number: number,
  reading: Reading,
  { correlationId, resource }: Meta
): void => {
  span.event("attempt", clock.unsafeCurrentTimeNanos(), {
    "manilla.attempt": number,
    "manilla.result": reading._tag === "Success" ? "Success" : reading.fault
  })
  const attributes = {
    "http.response.status_code": reading.status,
    "manilla.correlation_id": correlationId,
    "manilla.resource.id": resource.id,
    "manilla.resource.reference": resource.reference
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) span.attribute(name, value)
  }
}

/** Runs a sequence of calls in a span, if there is a tracer. */
export const program = <A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) => inSpan(name, {}, fiber, () => effect))

/** The W3C `traceparent` header of a span. */
export const traceparent = ({ sampled, spanId, traceId }: Tracer.Span): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** `Success`, the tag of the error, `Interrupted` or `Defect`. */
const resultOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return "Success"
  const error = Cause.failureOption(exit.cause)
  if (Option.isSome(error)) return error.value._tag
  return Cause.isInterrupted(exit.cause) ? "Interrupted" : "Defect"
}
