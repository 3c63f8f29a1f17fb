/**
 * Waits for a service that returns hostile strings, and concurrent waits that it delays.
 */
import { assert, describe } from "@effect/vitest"
import type * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Logs from "@manilla/test-support/Logs"
import * as Observed from "@manilla/test-support/Observed"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"

const Thing = Schema.Struct({
  ...FakeService.group.operations.read.success.fields,
  reference: Schema.String
})
interface Thing extends Schema.Schema.Type<typeof Thing> {}

class StillPending extends Schema.TaggedError<StillPending>("StillPending")("StillPending", {
  reference: Schema.String,
  ...Polling.stillPending(Thing)
}) {}

const withReference = <A extends { readonly reference?: string | undefined }>({
  reference = "none",
  ...thing
}: A) => ({ ...thing, reference })

const make = (
  reactions: Parameters<typeof FakeService.make>[0],
  options: FakeService.Options = {}
) =>
  Effect.gen(function* () {
    const { calls, received } = yield* FakeService.make(reactions, options)
    const { createAndAwait, waits } = Polling.make({
      operation: "Things.awaitFinal",
      by: "reference",
      read: (reference: string, options: Operation.CallOptions) =>
        Effect.map(
          calls.read({ path: { thing: FakeService.reference(reference) } }, options),
          withReference
        ),
      stillPending: (reference, fields) => new StillPending({ reference, ...fields })
    })
    /** Creates a thing, and waits for its final status. */
    const writeAndAwait = (wait: Polling.Options<Thing>) =>
      createAndAwait(
        "Things.writeAndAwait",
        (options: Polling.CreateAndAwaitOptions<Thing>) =>
          Effect.map(calls.write(FakeService.calls.write, options), withReference),
        { wait },
        () => [FakeService.phone]
      )
    return { received, waits, writeAndAwait }
  })

const says = (data: Record<string, unknown>) =>
  FakeService.answer({ id: "thing-1", status: "PENDING", ...data })

const minute = { deadline: "1 minute" } as const
const never = { ...minute, until: () => false }

/** Line breaks, escape codes, bidirectional marks, the phone number of the request, and a long tail. */
const hostile =
  "R-1\r\nERROR forged\u2028\u001b[31m\u202e" + `${FakeService.phone} ` + "x".repeat(100_000)

/** Asserts that a text is one line of limited length, without the phone number. */
const assertShown = (text: string) => {
  assert.notMatch(text, Observed.controls)
  assert.isBelow(text.length, 2000)
  assert.deepStrictEqual(Observed.traces(FakeService.phone, text), [])
}

/** The output of an application that logs an error and fails with it. */
const shownOf = (error: StillPending) =>
  Effect.map(
    Observed.observe(Effect.zipRight(Effect.logWarning(error), Effect.fail(error))),
    ({ text }) => text
  )

describe("a token source that hangs once", () => {
  Test.effect("takes 30 seconds of a wait, and not the rest of it", function* () {
    let asked = 0
    const tokens = FakeService.tokens(() =>
      ++asked === 1 ? Effect.never : Effect.succeed(FakeService.token)
    )
    const { waits } = yield* make([says({ status: "COMPLETED" })], { tokens })
    const wait = waits.awaitFinal(FakeService.reference("R-1"))
    assert.strictEqual((yield* Elapsed.during("31 seconds", wait)).status, "COMPLETED")
  })
})

describe("a hostile text", () => {
  Test.effect("as a status is not printed", function* () {
    const { waits } = yield* make([says({ status: hostile })])
    const reference = FakeService.reference("R-1")
    const error = yield* Effect.flip(Elapsed.toTheEnd(waits.awaitFinal(reference, never)))
    assert(error._tag === "StillPending")
    assertShown(error.message)
    assert.include(error.message, "R-1")
    assert.notInclude(yield* shownOf(error), "forged")
    // The field has the original value.
    assert.strictEqual(error.last?.status, hostile)
  })

  const told = { code: hostile, message: hostile }
  for (const [what, reference, read, shown] of [
    ["the reference of a created resource", hostile, says({}), "R-1"],
    [
      "the reference and in the error of a failed wait",
      hostile,
      FakeService.failure(403, {}, told),
      "was created, but the wait for it failed"
    ],
    [
      "the error of the last read",
      "R-1",
      FakeService.failure(503, {}, told),
      "The last read failed"
    ]
  ] as const) {
    Test.effect(`as ${what} is printed on one line, and preserved in the error`, function* () {
      const { writeAndAwait } = yield* make([says({ reference }), read])
      const error = yield* Effect.flip(Elapsed.toTheEnd(writeAndAwait(minute)))
      assert(error._tag === "StillPending")
      assertShown(error.message)
      assert.include(error.message, shown)
      assert.strictEqual(error.reference, reference)
    })
  }

  Test.effect("as the reference of a resource is on one line in the warning", function* () {
    const { writeAndAwait } = yield* make([says({ reference: hostile }), says({})])
    const { capture, messages } = Logs.make()
    const fiber = yield* Effect.fork(capture(writeAndAwait(minute)))
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.interrupt(fiber)
    assert.lengthOf(messages, 1)
    assertShown(messages.join())
    assert.include(messages[0], "R-1")
  })
})

describe("a wait that ends before the status is final", () => {
  Test.effect("has the last value, and does not print it", function* () {
    const { waits } = yield* make([says({ id: "PERSONAL" })])
    const reference = FakeService.reference("R-1")
    const error = yield* Effect.flip(Elapsed.toTheEnd(waits.awaitFinal(reference, minute)))
    assert(error._tag === "StillPending")
    assert.strictEqual(error.last?.id, "PERSONAL")
    assert.notInclude(yield* shownOf(error), "PERSONAL")
  })

  Test.effect("ends at its deadline, even if a read has no response", function* () {
    const { received, waits } = yield* make(["silence"])
    const error = yield* Elapsed.during(
      "10 seconds",
      Effect.flip(waits.awaitFinal(FakeService.reference("R-1"), { deadline: "10 seconds" }))
    )
    assert(error._tag === "StillPending")
    assert.strictEqual(error.cause?._tag, "TimeoutError")
    assert.lengthOf(received, 1)
  })
})

/** Waits in flight with this label; 0 if there was none yet. */
const inFlight = (label: string) =>
  Effect.map(Metric.snapshot, (pairs) =>
    pairs
      .filter(
        ({ metricKey }) =>
          metricKey.name === "manilla_waits_in_flight" &&
          metricKey.tags.some(({ value }) => value === label)
      )
      .reduce(
        (sum, { metricState }) => sum + ("value" in metricState ? Number(metricState.value) : 0),
        0
      )
  )

for (const way of ["awaitFinal", "changes"] as const) {
  const waitOf = (waits: Effect.Effect.Success<ReturnType<typeof make>>["waits"]) => {
    const reference = FakeService.reference("T-1")
    return way === "awaitFinal"
      ? waits.awaitFinal(reference, minute)
      : Stream.runDrain(waits.changes(reference, minute))
  }

  for (const [how, end] of [
    ["ends", TestClock.adjust("1 hour")],
    ["is interrupted", undefined]
  ] as const) {
    Test.effect(`${way} is counted with the labels of its caller, until it ${how}`, function* () {
      const { waits } = yield* make([says({})])
      const wait = Effect.tagMetrics(Effect.exit(waitOf(waits)), "shop", way)
      const fiber = yield* Effect.fork(wait)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* inFlight(way), 1)
      yield* end ?? Fiber.interrupt(fiber)
      assert.strictEqual(yield* inFlight(way), 0)
    })
  }

  Test.effect(`${way} leaves no timer when it is interrupted during a pause`, function* () {
    const { waits } = yield* make([says({})])
    const clock = new VirtualClock.VirtualClock()
    const fiber = yield* Effect.fork(clock.provide(waitOf(waits)))
    yield* clock.settle
    assert.isFalse(clock.isIdle())
    yield* Fiber.interrupt(fiber)
    yield* clock.settle
    assert.isTrue(clock.isIdle())
  })
}

for (const [retryAfter, initial, pauseMillis] of [
  [40, "1 second", 40_000],
  [1, "10 seconds", 5000]
] as const) {
  Test.effect(`a wait pauses ${initial}, or a longer Retry-After: ${retryAfter}`, function* () {
    const { received, waits } = yield* make([
      FakeService.failure(503, { "retry-after": String(retryAfter) }),
      says({ status: "COMPLETED" })
    ])
    const wait = waits.awaitFinal(FakeService.reference("T-1"), { ...minute, initial })
    // The shortest pause.
    yield* Elapsed.toTheEnd(Effect.withRandom(wait, Random.fixed([0])))
    const times = received.map(({ atMillis }) => atMillis)
    assert.deepStrictEqual(times, [0, pauseMillis])
  })
}

Test.effect("a wait reads, however short its deadline is", function* () {
  const { waits } = yield* make([says({ status: "COMPLETED" })])
  const wait = waits.awaitFinal(FakeService.reference("T-1"), { deadline: "1 millis" })
  assert.strictEqual((yield* wait).status, "COMPLETED")
})

Test.effect("a wait whose last read failed does not read again in its last moments", function* () {
  const { received, waits } = yield* make([
    FakeService.failure(503, { "retry-after": "0.95" }),
    "silence"
  ])
  const wait = waits.awaitFinal(FakeService.reference("T-1"), {
    initial: "100 millis",
    deadline: "1 second"
  })
  const error = yield* Effect.flip(Elapsed.toTheEnd(wait))
  assert(error._tag === "StillPending")
  assert.strictEqual(error.cause?._tag, "ServerError")
  assert.lengthOf(received, 1)
})

Test.effect("64 waits with a Retry-After of a minute do not block another wait", function* () {
  let reads = 0
  const { received, waits } = yield* make([
    ({ url }) =>
      Effect.sync(() =>
        url.endsWith("/healthy")
          ? says({ status: ++reads < 4 ? "PENDING" : "COMPLETED" })
          : FakeService.failure(503, { "retry-after": "60" })
      )
  ])
  const options = { deadline: "2 minutes" } as const
  const crowd = yield* Effect.forkAll(
    Array.from({ length: 64 }, (_, i) =>
      Effect.either(waits.awaitFinal(FakeService.reference(`slow-${i}`), options))
    )
  )
  yield* TestClock.adjust("1 millis")
  assert.lengthOf(received, 64)
  const startedMillis = yield* Clock.currentTimeMillis
  const healthy = yield* waits
    .awaitFinal(FakeService.reference("healthy"), options)
    .pipe(Effect.zip(Clock.currentTimeMillis), Effect.fork)
  yield* TestClock.adjust("3 minutes")
  const [settled, endedMillis] = yield* Fiber.join(healthy)
  assert.strictEqual(settled.status, "COMPLETED")
  // Three pauses of at most 1, 1.5 and 2.25 seconds.
  assert.isAtMost(endedMillis - startedMillis, 4750)
  for (const ended of yield* Fiber.join(crowd)) assert.isTrue(Either.isLeft(ended))
})

Test.effect("a wait that 64 others keep from its read ends at its deadline", function* () {
  const { received, waits } = yield* make(["silence"])
  yield* Effect.forkAll(
    Array.from({ length: 64 }, (_, i) =>
      Effect.either(waits.awaitFinal(FakeService.reference(`slow-${i}`), minute))
    )
  )
  yield* TestClock.adjust("1 millis")
  const error = yield* Elapsed.during(
    "5 seconds",
    Effect.flip(waits.awaitFinal(FakeService.reference("late"), { deadline: "5 seconds" }))
  )
  assert(error._tag === "StillPending")
  assert.lengthOf(received, 64)
})
