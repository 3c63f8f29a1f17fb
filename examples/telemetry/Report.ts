/**
 * Exported spans as a tree, and exported metrics as a table.
 */
import type { Attributes, HrTime } from "@opentelemetry/api"
import { DataPointType } from "@opentelemetry/sdk-metrics"
import type { MetricData, ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

const toMillis = ([seconds, nanos]: HrTime): number => seconds * 1000 + nanos / 1e6

const wordsOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")

const subtree = (spans: ReadonlyArray<ReadableSpan>, parent: string | undefined): Array<string> =>
  spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .sort((a, b) => toMillis(a.startTime) - toMillis(b.startTime))
    .flatMap((span) => [
      `${span.name}  ${toMillis(span.duration).toFixed(0)} ms`,
      ...[
        ...Object.entries(span.attributes).map(([name, value]) => `  ${name}=${String(value)}`),
        ...span.events.map(({ attributes = {}, name, time }) => {
          const at = (toMillis(time) - toMillis(span.startTime)).toFixed(0)
          return `  ${name} at ${at} ms: ${wordsOf(attributes)}`
        }),
        ...subtree(spans, span.spanContext().spanId)
      ].map((line) => `  ${line}`)
    ])

export const trace = (spans: ReadonlyArray<ReadableSpan>): string =>
  subtree(spans, undefined).join("\n")

const rowsOf = (metric: MetricData): Array<readonly [string, string, string]> => {
  const { name } = metric.descriptor
  return metric.dataPointType === DataPointType.SUM || metric.dataPointType === DataPointType.GAUGE
    ? metric.dataPoints.map(({ attributes, value }) => [name, wordsOf(attributes), String(value)])
    : metric.dataPoints.map(({ attributes, value: { count, sum = 0 } }) => [
        name,
        wordsOf(attributes),
        `${count} in ${sum.toFixed(0)} ms`
      ])
}

/** The library's metrics, without those of Effect itself. The last export counts from the start. */
export const metrics = (exports: ReadonlyArray<ResourceMetrics>): string => {
  const rows = (exports.at(-1)?.scopeMetrics ?? [])
    .flatMap(({ metrics }) => metrics.flatMap(rowsOf))
    .filter(([name]) => name.startsWith("manilla_"))
    .sort()
  const width = (column: 0 | 1) => Math.max(0, ...rows.map((row) => row[column].length))
  return rows
    .map(([name, labels, value]) =>
      [name.padEnd(width(0)), labels.padEnd(width(1)), value].join("  ")
    )
    .join("\n")
}
