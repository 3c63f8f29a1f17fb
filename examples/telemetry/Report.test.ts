/**
 * The trace and the metrics of a payment, as OpenTelemetry exports them.
 */
import { NodeSdk } from "@effect/opentelemetry"
import { assert, it } from "@effect/vitest"
import { Payments } from "@manilla/payments"
import { Fault, Sandbox, SandboxClient, SandboxGateway } from "@manilla/sandbox"
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader
} from "@opentelemetry/sdk-metrics"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { checkout } from "./Checkout.js"
import * as Report from "./Report.js"

const client = Payments.layer.pipe(
  Layer.provideMerge(SandboxGateway.layer()),
  Layer.provideMerge(SandboxClient.layer())
)

it.effect("shows a payment with its attempts and reads", () => {
  const spans = new InMemorySpanExporter()
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const metricReader = new PeriodicExportingMetricReader({ exporter: metrics })
  const spanProcessor = new SimpleSpanProcessor(spans)
  return Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.add(Fault.dropAfter({ operation: "Payments.create" }))
    // A label of its own, because the metrics of a process are shared by all of its tests.
    const fiber = yield* Effect.fork(Effect.tagMetrics(checkout, "test", "report"))
    yield* TestClock.adjust("1 minute")
    const { id } = yield* Fiber.join(fiber)
    yield* Effect.promise(() => metricReader.forceFlush())

    const trace = Report.trace(spans.getFinishedSpans()).split("\n")
    const names = trace
      .filter((line) => line.endsWith(" ms"))
      .map((line) => line.replace(/ {2}\d+ ms$/, ""))
    const first = ["checkout", "  Payments.collect", "    Payments.create", "      Token.obtain"]
    assert.deepStrictEqual(names.slice(0, 4), first)
    // The number of reads depends on the length of the random pauses.
    const reads = names.slice(4)
    assert.isNotEmpty(reads)
    assert.isTrue(reads.every((name) => name === "    Payments.get"))
    const create = trace.slice(
      trace.findIndex((line) => line.startsWith("    Payments.create")),
      trace.findIndex((line) => line.startsWith("      Token.obtain"))
    )
    assert.include(create, "        http.response.status_code=201")
    assert.include(create, "        server.address=sandbox.localhost")
    assert.include(create, `        manilla.resource.id=${id}`)
    assert.isTrue(create.some((line) => /^ {8}manilla\.correlation_id=[\da-f-]{36}$/.test(line)))
    assert.isTrue(create.some((line) => line.endsWith("attempt=1 manilla.result=ConnectionLost")))
    assert.isTrue(create.some((line) => line.endsWith("attempt=2 manilla.result=Success")))

    const table = Report.metrics(metrics.getMetrics()).split("\n")
    assert.includeMembers(
      table.map((row) => row.replace(/ +/g, " ")),
      [
        "manilla_attempts operation=Payments.create test=report 2",
        "manilla_calls operation=Payments.create result=Success test=report 1",
        "manilla_retries operation=Payments.create reason=ConnectionLost test=report 1",
        "manilla_waits_in_flight test=report 0"
      ]
    )
  }).pipe(
    Effect.provide(
      Layer.merge(
        client,
        NodeSdk.layer(() => ({ resource: { serviceName: "shop" }, spanProcessor, metricReader }))
      )
    )
  )
})
