/**
 * Everything that can be seen of an effect from outside, as one text to search in: what it logs,
 * traces, counts and fails with.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import * as Spans from "./Spans.js"

export interface Observed<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly spans: ReadonlyArray<string>
  readonly logs: ReadonlyArray<string>
  /** All of it, what it fails with included. */
  readonly text: string
}

const whole = (value: unknown): string => inspect(value, { depth: null, maxStringLength: null })

export const observe = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const spans: Array<string> = []
    const logs: Array<string> = []
    const logger = Logger.make((entry) => {
      logs.push(
        Logger.logfmtLogger.log(entry),
        Logger.jsonLogger.log(entry),
        whole([entry.message, entry.annotations, entry.spans])
      )
    })
    const before = new Map(
      Array.from(yield* Metric.snapshot, (pair) => [pair.metricKey, pair.metricState])
    )
    const exit = yield* effect.pipe(
      // As an application prints an error at its boundary.
      Effect.tapErrorCause((cause) => Effect.logError("failed", cause)),
      Effect.exit,
      Effect.withTracer(recorder(spans)),
      Effect.provide(Logger.add(logger)),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
    // The metrics of a process are shared by all of its tests. Their numbers and hashes differ from
    // run to run, and would hold by chance the digits that a test looks for: only their texts count.
    const counted = Array.from(yield* Metric.snapshot)
      .filter(({ metricKey, metricState }) => !Equal.equals(before.get(metricKey), metricState))
      .map(({ metricKey: { description, name, tags }, metricState }) => [
        name,
        Option.getOrElse(description, () => ""),
        ...tags.map(({ key, value }) => [key, value]),
        ...(MetricState.isFrequencyState(metricState) ? metricState.occurrences.keys() : [])
      ])
    const failure = Exit.match(exit, { onSuccess: () => [], onFailure: causeText })
    const observed: Observed<A, E> = {
      exit,
      spans,
      logs,
      text: [...spans, ...logs, ...failure, whole(counted)].join("\n")
    }
    return observed
  })

const causeText = (cause: Cause.Cause<unknown>): ReadonlyArray<string> => [
  Cause.pretty(cause, { renderErrorCause: true }),
  whole(cause),
  JSON.stringify(cause),
  String(cause),
  ...[...Cause.failures(cause), ...Cause.defects(cause)].flatMap((error) => [
    String(error),
    JSON.stringify(error) ?? "",
    whole(error),
    ...(error instanceof Error ? [error.message, error.stack ?? "", whole({ ...error })] : [])
  ])
]

/** A tracer that records the name and the attributes of each span. */
const recorder = (spans: Array<string>): Tracer.Tracer => {
  const tell = (name: string, what: unknown) => spans.push(`${name} ${whole(what)}`)
  const links = (name: string, all: ReadonlyArray<Tracer.SpanLink>) =>
    tell(name, { links: all.map((link) => link.attributes) })
  return Spans.tracer({
    span: links,
    links,
    attribute: (name, key, value) => tell(name, { [key]: value }),
    event: (name, event, members) => tell(name, { event, members }),
    end: (name, exit) => {
      const cause = Option.getOrUndefined(Exit.causeOption(exit))
      tell(name, { end: cause === undefined ? "success" : causeText(cause) })
    }
  })
}

/** Characters that break or reorder a log line. */
export const controls = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

/** Every string in a value, including member names. */
export const stringsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return [
    ...(value instanceof Error ? [value.message] : []),
    ...Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)])
  ]
}

/** Where a secret shows in a text: raw, even in part, JSON-escaped or URL-encoded. */
export const traces = (secret: string, text: string): ReadonlyArray<string> =>
  [...parts(secret), ...encoded(secret)].filter((form) => text.includes(form))

const partLength = 8

const parts = (secret: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(1, secret.length - partLength + 1) }, (_, i) =>
    secret.slice(i, i + partLength)
  )

const encoded = (secret: string): ReadonlyArray<string> => {
  const url = encodeURIComponent(secret)
  return [
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replace(/%../g, (escape) => escape.toLowerCase())
  ]
}
