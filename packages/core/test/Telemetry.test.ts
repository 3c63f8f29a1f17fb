/**
 * What a call tells of itself: what operators count, and see in a trace.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/TestClock"
import * as FakeService from "./utils/FakeService.js"
import { observe } from "./utils/Observed.js"
import * as Spans from "./utils/Spans.js"

/** The counts of an operation, by the metric's name and what it tells beside the operation. */
const countsOf = (operation: string) =>
  Effect.map(Metric.snapshot, (pairs) => {
    const counts = new Map<string, number>()
    for (const { metricKey, metricState } of pairs) {
      const tags = metricKey.tags.filter(({ key }) => key !== "operation")
      if (!metricKey.tags.some(({ value }) => value === operation)) continue
      if (!("count" in metricState) || typeof metricState.count !== "number") continue
      counts.set([metricKey.name, ...tags.map(({ value }) => value)].join(" "), metricState.count)
    }
    return counts
  })

/** What a call adds to them. */
const added = <A, E>(operation: string, call: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const before = yield* countsOf(operation)
    const fiber = yield* Effect.fork(Effect.either(call))
    yield* TestClock.adjust("1 hour")
    const result = yield* Fiber.join(fiber)
    const after = yield* countsOf(operation)
    const counts = Object.fromEntries(
      Array.from(after, ([name, count]) => [name, count - (before.get(name) ?? 0)] as const).filter(
        ([, count]) => count > 0
      )
    )
    return { counts, result }
  })

describe("a call is counted", () => {
  it.effect("by its outcome, with its attempts and why they were made", () =>
    Effect.gen(function* () {
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
        "manilla_retries ServerFault": 1,
        "manilla_retries NotSent": 1,
        manilla_call_duration_ms: 1
      })
    })
  )

  it.effect("as a success where it was one", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make([FakeService.success])
      const { counts } = yield* added("Things.read", calls.read(FakeService.calls.read))
      assert.deepStrictEqual(counts, {
        "manilla_calls Success": 1,
        manilla_attempts: 1,
        manilla_call_duration_ms: 1
      })
    })
  )
})

describe("a span", () => {
  it.effect("has an event for each attempt, with its number and its end", () =>
    Effect.gen(function* () {
      const { calls } = yield* FakeService.make(
        [FakeService.failure(503), FakeService.failure(422)],
        { retry: { base: 0 } }
      )
      const { spans } = yield* observe(calls.read(FakeService.calls.read))
      const events = spans.join("\n").match(/'manilla\.attempt': \d+,\s+'manilla\.result': '\w+'/g)
      assert.deepStrictEqual(
        events?.map((event) => event.replace(/\s+/g, " ")),
        [
          "'manilla.attempt': 1, 'manilla.result': 'ServerFault'",
          "'manilla.attempt': 2, 'manilla.result': 'Unprocessable'"
        ]
      )
    })
  )
})

/** A tracer, or one of its spans, that throws as an exporter does whose queue is full. */
const broken = (where: keyof Spans.Hooks) =>
  Spans.tracer({
    [where]: () => {
      throw new Error("the exporter is full")
    }
  })

describe("a tracer that throws takes no outcome away:", () => {
  for (const where of ["span", "event", "end"] as const) {
    it.effect(`a success, at ${where}`, () =>
      Effect.gen(function* () {
        const { calls, received } = yield* FakeService.make([FakeService.success])
        const call = Effect.withTracer(calls.write(FakeService.calls.write), broken(where))
        assert.strictEqual((yield* call).data.id, "thing-1")
        assert.lengthOf(received, 1)
      })
    )

    it.effect(`a failure, at ${where}`, () =>
      Effect.gen(function* () {
        const { calls } = yield* FakeService.make([{ drop: "ECONNRESET" }], {
          retry: { base: 0, attempts: 3 }
        })
        const error = yield* calls
          .write(FakeService.calls.write)
          .pipe(Effect.flip, Effect.withTracer(broken(where)))
        assert(error._tag === "OutcomeUnknown")
        assert.strictEqual(error.attempts, 3)
      })
    )
  }
})
