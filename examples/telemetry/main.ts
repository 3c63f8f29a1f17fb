/**
 * Prints the trace and the metrics of a payment for OpenTelemetry. The first response is
 * lost. The exporters keep everything in memory: no collector is needed.
 * Takes 6 seconds.
 */
import { NodeSdk } from "@effect/opentelemetry"
import { Fault } from "@manilla/sandbox"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Console, Effect } from "effect"
import * as Example from "../support/Example.js"
import { checkout } from "./Checkout.js"
import * as Report from "./Report.js"

// An application uses the OTLP exporters here, and a `BatchSpanProcessor`.
const spans = new InMemorySpanExporter()
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const metricReader = new PeriodicExportingMetricReader({ exporter: metrics })

const telemetry = NodeSdk.layer(() => ({
  resource: { serviceName: "shop" },
  spanProcessor: new SimpleSpanProcessor(spans),
  metricReader
}))

const program = Effect.gen(function* () {
  yield* Example.onSandbox(({ faults }) =>
    faults.add(Fault.dropAfter({ operation: "Payments.create" }))
  )
  yield* checkout
  yield* Effect.promise(() => metricReader.forceFlush())
  yield* Console.log(`\nTrace\n\n${Report.trace(spans.getFinishedSpans())}\n`)
  yield* Console.log(`Metrics\n\n${Report.metrics(metrics.getMetrics())}\n`)
}).pipe(Effect.provide(telemetry))

Example.run("The trace and the metrics of a payment", program)
