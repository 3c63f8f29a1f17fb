/**
 * The metrics and the span of a call, and the trace context in its requests.
 */
import { assert, describe } from "@effect/vitest"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import { observe } from "@manilla/test-support/Observed"
import * as Spans from "@manilla/test-support/Spans"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"

/** The counts of an operation, by metric name and tags except the operation. */
const countsOf = (operation: string) =>
  Effect.map(Metric.snapshot, (pairs) => {
    const counts = new Map<string, number>()
    for (const { metricKey, metricState } of pairs) {
      const tags = metricKey.tags.filter(({ key }) => key !== "operation")
      if (!metricKey.tags.some(({ value }) => value === operation)) continue
      if (!("count" in metricState) || typeof metricState.count !== "number") continue
      const name = [metricKey.name, ...tags.map(({ value }) => value)].join(" ")
      // Other files of this process may have registered a metric of the same name.
      counts.set(name, (counts.get(name) ?? 0) + metricState.count)
    }
    return counts
  })

/** The increase of these counts by a call. */
const added = <A, E>(operation: string, call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const before = yield* countsOf(operation)
    const result = yield* Elapsed.toTheEnd(Effect.either(call))
    const after = yield* countsOf(operation)
    const increases = Array.from(after, ([name, count]) => [name, count - (before.get(name) ?? 0)])
    return { counts: Object.fromEntries(increases.filter(([, by]) => by !== 0)), result }
  })

describe("a call is counted", () => {
  Test.effect("by its outcome, its attempts, and the reasons of its retries", function* () {
    const { calls } = yield* FakeService.make([
      FakeService.failure(503),
      { drop: "ECONNREFUSED" },
      FakeService.failure(422)
    ])
    const { counts, result } = yield* added("Things.write", calls.write(FakeService.calls.write))
    assert.isTrue(Either.isLeft(result))
    assert.deepStrictEqual(counts, {
      "manilla_calls OutcomeUnknown": 1,
      manilla_attempts: 3,
      "manilla_retries ServerError": 1,
      "manilla_retries NotSent": 1,
      manilla_call_duration_ms: 1
    })
  })

  for (const [tag, reaction, limit] of [
    ["Success", FakeService.success, Infinity],
    ["Interrupted", "silence", 1000]
  ] as const) {
    Test.effect(`as ${tag}`, function* () {
      const { calls } = yield* FakeService.make([reaction])
      const call = Effect.timeoutOption(calls.read(FakeService.calls.read), limit)
      const { counts } = yield* added("Things.read", call)
      assert.deepStrictEqual(counts, {
        [`manilla_calls ${tag}`]: 1,
        manilla_attempts: 1,
        manilla_call_duration_ms: 1
      })
    })
  }

  Test.effect("with the labels of its caller", function* () {
    const { calls } = yield* FakeService.make([FakeService.success])
    yield* Effect.tagMetrics(calls.read(FakeService.calls.read), "shop", "north")
    const pairs = yield* Metric.snapshot
    const labelled = pairs.filter(({ metricKey }) =>
      metricKey.tags.some(({ key, value }) => key === "shop" && value === "north")
    )
    const names = labelled.map(({ metricKey }) => metricKey.name)
    assert.deepStrictEqual(names.filter((name) => name.startsWith("manilla")).sort(), [
      "manilla_attempts",
      "manilla_call_duration_ms",
      "manilla_calls"
    ])
  })
})

/** The spans of a call, and how each of them ended. */
const traced = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const begun: Array<string> = []
    const ended: Array<string> = []
    const tracer = Spans.tracer({
      span: (name) => void begun.push(name),
      end: (name, exit) => void ended.push(`${name} ${exit._tag}`)
    })
    const result = yield* Effect.either(Effect.withTracer(call, tracer))
    return { begun, ended, result }
  })

const traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"

describe("a span", () => {
  Test.effect("has an event for each attempt, with its number and its result", function* () {
    const { calls } = yield* FakeService.make(
      [FakeService.failure(503), FakeService.failure(422)],
      { retry: { base: 0 } }
    )
    const { spans } = yield* observe(calls.read(FakeService.calls.read))
    const events = spans.join("\n").match(/'manilla\.attempt': \d+,\s+'manilla\.result': '\w+'/g)
    const seen = events?.map((event) => event.replace(/\s+/g, " "))
    assert.deepStrictEqual(seen, [
      "'manilla.attempt': 1, 'manilla.result': 'ServerError'",
      "'manilla.attempt': 2, 'manilla.result': 'UnprocessableError'"
    ])
  })

  Test.effect("is made for each call, and ends with it", function* () {
    const { calls } = yield* FakeService.make([FakeService.success, FakeService.failure(422)])
    const succeeds = yield* traced(calls.write(FakeService.calls.write))
    assert.deepInclude(succeeds, { begun: ["Things.write"], ended: ["Things.write Success"] })
    const fails = yield* traced(calls.read(FakeService.calls.read))
    assert.deepInclude(fails, { begun: ["Things.read"], ended: ["Things.read Failure"] })
  })

  Test.effect("is a child of its caller's", function* () {
    const parents: Array<string> = []
    const own = Spans.tracer({})
    const tracer = Tracer.make({
      ...own,
      span: (name, parent, ...rest) => {
        if (parent._tag === "Some" && parent.value._tag === "Span") {
          parents.push(`${parent.value.name} > ${name}`)
        }
        return own.span(name, parent, ...rest)
      }
    })
    const { calls } = yield* FakeService.make([FakeService.success])
    yield* calls
      .read(FakeService.calls.read)
      .pipe(Effect.withSpan("checkout"), Effect.withTracer(tracer))
    assert.deepStrictEqual(parents, ["checkout > Things.read"])
  })

  Test.effect("has the logs of its call as events, and its caller's has none", function* () {
    const events: Array<string> = []
    const tracer = Spans.tracer({ event: (name, event) => void events.push(`${name}: ${event}`) })
    const { calls } = yield* FakeService.make([FakeService.failure(503), FakeService.success], {
      retry: { base: 0 }
    })
    yield* calls
      .read(FakeService.calls.read)
      .pipe(
        Effect.withSpan("checkout"),
        Effect.withTracer(tracer),
        Logger.withMinimumLogLevel(LogLevel.Debug)
      )
    assert.lengthOf(events, 3)
    assert.isTrue(events.every((event) => event.startsWith("Things.read: ")))
    assert.include(
      events[1],
      "(https://service.invalid, correlation id c-2): SOME_CODE: some words. Retrying in 0 ms"
    )
  })

  Test.effect("is in the traceparent header of each attempt", function* () {
    const { calls, received } = yield* FakeService.make(
      [FakeService.failure(503), FakeService.success],
      { retry: { base: 0 } }
    )
    yield* traced(calls.read(FakeService.calls.read))
    const parents = received.map(({ headers }) => headers["traceparent"])
    assert.deepStrictEqual(parents, [traceparent, traceparent])
  })

  Test.effect("is said not to be sampled if its tracer does not sample it", function* () {
    const { calls, received } = yield* FakeService.make([FakeService.success])
    const sampling = Spans.tracer({})
    const tracer = Tracer.make({
      span: (...options) => Object.assign(sampling.span(...options), { sampled: false }),
      context: (run) => run()
    })
    yield* Effect.withTracer(calls.read(FakeService.calls.read), tracer)
    assert.strictEqual(received[0]?.headers["traceparent"], traceparent.replace(/01$/, "00"))
  })

  Test.effect("is not created for a request that is refused before it is sent", function* () {
    const { calls } = yield* FakeService.make([FakeService.success])
    const { begun, result } = yield* traced(calls.writeOnce({ payload: { name: "x".repeat(11) } }))
    assert.isTrue(Either.isLeft(result))
    assert.deepStrictEqual(begun, [])
  })

  for (const [what, tracer, isEnabled] of [
    ["without a tracer of the application", undefined, true],
    ["where tracing is turned off", Spans.tracer({}), false]
  ] as const) {
    Test.effect(`is not sent to the service ${what}`, function* () {
      const { calls, received } = yield* FakeService.make([FakeService.success])
      const read = Effect.withTracerEnabled(calls.read(FakeService.calls.read), isEnabled)
      yield* tracer === undefined ? read : Effect.withTracer(read, tracer)
      assert.notProperty(received[0]?.headers, "traceparent")
    })
  }
})

describe("the span of a call", () => {
  const attributesOf = (reaction: FakeService.Reaction) =>
    Effect.gen(function* () {
      const attributes = new Map<string, unknown>()
      const tracer = Spans.tracer({ attribute: (_, key, value) => void attributes.set(key, value) })
      const { calls } = yield* FakeService.make([reaction])
      yield* Effect.exit(Effect.withTracer(calls.write(FakeService.calls.write), tracer))
      return Object.fromEntries(attributes)
    })

  Test.effect("has the host, the status, and the ids of the response", function* () {
    assert.deepStrictEqual(yield* attributesOf(FakeService.success), {
      "manilla.operation": "Things.write",
      "manilla.replay": "Keyed",
      "http.request.method": "POST",
      "url.template": "/things",
      "server.address": "service.invalid",
      "server.port": 443,
      "http.response.status_code": 200,
      "manilla.correlation_id": "c-1",
      "manilla.resource.id": "thing-1"
    })
  })

  Test.effect("has the status of a refusal", function* () {
    const attributes = yield* attributesOf(FakeService.failure(422))
    assert.propertyVal(attributes, "http.response.status_code", 422)
  })
})
