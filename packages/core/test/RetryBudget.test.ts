/**
 * The retry budget: the token bucket, and its effect on the calls of a gateway.
 */
import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Elapsed from "@manilla/test-support/Elapsed"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Test from "@manilla/test-support/Test"
import * as VirtualClock from "@manilla/test-support/VirtualClock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/TestClock"
import * as retryBudget from "../src/internal/call/retryBudget.js"

const refillMillis = 10_000

/** A budget of this size that is used up at this time. */
const spent = (capacity: number, nowMillis = 0) => {
  const budget = retryBudget.make(capacity)
  for (let i = 0; i < capacity; i++) budget.take(nowMillis)
  return budget
}

/** The number of retries that are allowed immediately. */
const atOnce = (budget: retryBudget.RetryBudget, nowMillis: number): number => {
  let count = 0
  while (count < 1000 && budget.waitMillis(nowMillis) === 0) {
    budget.take(nowMillis)
    count++
  }
  return count
}

describe("a budget", () => {
  it("is full at first, at any time", () => {
    for (const capacity of [1, 3, 100]) {
      for (const nowMillis of [-1e12, 0, 1e12]) {
        assert.strictEqual(atOnce(retryBudget.make(capacity), nowMillis), capacity)
      }
    }
  })

  it("refills evenly within 10 seconds", () => {
    assert.strictEqual(spent(10).waitMillis(0), 1000)
    assert.strictEqual(spent(10).waitMillis(400), 600)
    assert.strictEqual(spent(10).waitMillis(1000), 0)
    assert.strictEqual(atOnce(spent(10), 3000), 3)
    assert.strictEqual(atOnce(spent(10), refillMillis), 10)
  })

  it("allows waiting retries one after the other", () => {
    const budget = spent(10)
    const waits = Array.from({ length: 3 }, () => {
      const millis = budget.waitMillis(0)
      budget.take(0)
      return millis
    })
    assert.deepStrictEqual(waits, [1000, 2000, 3000])
  })

  it("gets one retry back", () => {
    const budget = spent(10)
    budget.take(0)
    budget.take(0)
    budget.giveBack()
    assert.strictEqual(budget.waitMillis(0), 2000)
  })

  it("gains a retry after ten successes", () => {
    const budget = spent(10)
    for (let i = 0; i < 9; i++) budget.earn()
    assert.isAbove(budget.waitMillis(0), 50)
    budget.earn()
    // As floats, ten tenths are less than 1.
    assert.isAtMost(budget.waitMillis(0), 1)
  })

  for (const [how, gain] of [
    ["a clock that is set far forward", (budget) => budget.waitMillis(1e12)],
    ["successes", (budget) => budget.earn()],
    ["retries that it gets back", (budget) => budget.giveBack()]
  ] satisfies ReadonlyArray<[string, (budget: retryBudget.RetryBudget) => unknown]>) {
    it(`never exceeds its size by ${how}`, () => {
      const budget = spent(2)
      for (let i = 0; i < 1000; i++) gain(budget)
      assert.strictEqual(atOnce(budget, 0), 2)
    })
  }

  it("of size 0 never allows a retry", () => {
    const budget = retryBudget.make(0)
    for (let i = 0; i < 1000; i++) budget.earn()
    for (const nowMillis of [0, refillMillis, 1e12]) {
      assert.strictEqual(budget.waitMillis(nowMillis), Infinity)
    }
  })

  it("does not change when the clock is set back", () => {
    const budget = spent(10, 3_600_000)
    assert.strictEqual(budget.waitMillis(0), 1000)
    assert.strictEqual(budget.waitMillis(1000), 0)
    assert.strictEqual(atOnce(budget, 2000), 2)
  })

  const event = FastCheck.oneof(
    FastCheck.record({ _tag: FastCheck.constant("wait"), millis: FastCheck.nat(5000) }),
    FastCheck.record({ _tag: FastCheck.constant("retry") }),
    FastCheck.record({ _tag: FastCheck.constant("success") })
  )

  it.prop(
    "never allows more retries than its size, its refill and its successes",
    [
      FastCheck.integer({ min: 1, max: 20 }),
      FastCheck.array(event, { minLength: 1, maxLength: 200 })
    ],
    ([capacity, events]) => {
      const budget = retryBudget.make(capacity)
      const went: Array<number> = []
      let nowMillis = 0
      let earned = 0
      for (const one of events) {
        if ("millis" in one) nowMillis += one.millis
        else if (one._tag === "success") {
          budget.earn()
          earned += 0.1
        } else {
          went.push(nowMillis + budget.waitMillis(nowMillis))
          budget.take(nowMillis)
        }
      }
      went.sort((a, b) => a - b)
      went.forEach((last, i) => {
        went.slice(0, i).forEach((first, j) => {
          const allowed = capacity * (1 + (last - first) / refillMillis) + earned
          // Plus 1, because waits are whole milliseconds.
          assert.isAtMost(i - j + 1, allowed + 1)
        })
      })
    },
    { fastCheck: { numRuns: 200 } }
  )
})

const down = FakeService.failure(503)

/** Fails the given number of first requests by each method, and responds to the others. */
const failing = (times: {
  readonly GET?: number
  readonly POST?: number
}): FakeService.Reaction => {
  const left = { GET: 0, POST: 0, ...times }
  return ({ method }) =>
    Effect.sync(() => {
      const by = method === "GET" ? "GET" : "POST"
      return left[by]-- > 0 ? down : FakeService.success
    })
}

const writeOf = (order: number) => ({
  ...FakeService.calls.write,
  headers: { "idempotency-key": IdempotencyKey.derive("order", String(order)) }
})

const all = <A, E>(count: number, call: (index: number) => Effect.Effect<A, E>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => Effect.either(call(index)),
    { concurrency: "unbounded" }
  )

/** Like `Elapsed.toTheEnd`, but faster for many calls. */
const onVirtualClock = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const clock = new VirtualClock.VirtualClock(20)
    const fiber = yield* Effect.fork(clock.provide(effect))
    yield* clock.runUntil(fiber)
    return yield* Fiber.join(fiber)
  })

const sentBy = (method: string, received: ReadonlyArray<FakeService.Received>) =>
  received.filter((request) => request.method === method).map(({ atMillis }) => atMillis)

describe("a gateway", () => {
  Test.effect("makes few retries when its service is down", function* () {
    const { calls, received } = yield* FakeService.make([down], { retry: { budget: 10 } })
    const ends = yield* onVirtualClock(all(200, () => calls.read(FakeService.calls.read)))
    const within = (millis: number) => received.filter(({ atMillis }) => atMillis <= millis).length
    assert.strictEqual(within(0), 200)
    assert.isAtMost(within(refillMillis), 200 + 10 + 10)
    // The deadline is 3 minutes.
    assert.isAtMost(received.length, 200 + 10 + 180)
    const messages = ends.flatMap((end) => (Either.isLeft(end) ? [end.left.message] : []))
    assert.lengthOf(messages, 200)
    assert.isTrue(messages.some((message) => message.includes("retry budget")))
  })

  Test.effect("completes 300 writes after 300 responses with 503", function* () {
    const { calls, received } = yield* FakeService.make([failing({ POST: 300 })])
    const ends = yield* onVirtualClock(all(300, (order) => calls.write(writeOf(order))))
    assert.lengthOf(ends.filter(Either.isRight), 300)
    const times = sentBy("POST", received)
    assert.lengthOf(times, 600)
    // 100 retries at once, and 10 in each second.
    const retried = times.slice(300)
    assert.isAtMost(retried.filter((atMillis) => atMillis <= 1000).length, 111)
    assert.isAtMost(Math.max(...times), 21_000)
  })

  for (const [what, times, other, own] of [
    ["30 failing reads use no retry of a write", { GET: Infinity, POST: 1 }, "GET", "POST"],
    ["30 failing writes use no retry of a read", { GET: 1, POST: Infinity }, "POST", "GET"]
  ] as const) {
    Test.effect(what, function* () {
      const { calls, received } = yield* FakeService.make([failing(times)], {
        retry: { budget: 5 }
      })
      const calling = {
        GET: (count: number) => all(count, () => calls.read(FakeService.calls.read)),
        POST: (count: number) => all(count, (order) => calls.write(writeOf(order)))
      }
      yield* Effect.fork<unknown, never, never>(calling[other](30))
      yield* TestClock.adjust("1 second")
      yield* Effect.fork<unknown, never, never>(calling[own](1))
      yield* TestClock.adjust("1 second")
      const [first = 0, second = Infinity] = sentBy(own, received)
      assert.isAtMost(second - first, 250)
    })
  }

  Test.effect("gains retries by its successes", function* () {
    const { calls, received } = yield* FakeService.make(
      [down, ...Array.from({ length: 20 }, () => FakeService.success), down, FakeService.success],
      { retry: { budget: 1 } }
    )
    const read = calls.read(FakeService.calls.read)
    const fiber = yield* Effect.fork(Effect.repeatN(read, 19))
    yield* TestClock.adjust("250 millis")
    yield* Fiber.join(fiber)
    assert.lengthOf(received, 21)
    yield* Elapsed.toTheEnd(read)
    const [first = 0, second = Infinity] = sentBy("GET", received.slice(21))
    assert.isAtMost(second - first, 250)
  })

  Test.effect("delays a retry while the budget is empty", function* () {
    const { calls, received } = yield* FakeService.make([failing({ GET: 2 })], {
      retry: { budget: 1 }
    })
    const both = all(2, () => calls.read(FakeService.calls.read))
    const ends = yield* Elapsed.toTheEnd(Effect.withRandom(both, Random.fixed([0])))
    assert.isTrue(ends.every(Either.isRight))
    assert.deepStrictEqual(sentBy("GET", received), [0, 0, 0, refillMillis])
  })

  Test.effect("has one budget for all its writes", function* () {
    const notSent = { drop: "ECONNREFUSED" }
    const { calls, received } = yield* FakeService.make(
      [down, FakeService.success, notSent, FakeService.success],
      { retry: { budget: 1 } }
    )
    const both = Effect.zip(
      calls.write(FakeService.calls.write),
      calls.writeOnce(FakeService.calls.writeOnce)
    )
    yield* Elapsed.toTheEnd(Effect.withRandom(both, Random.fixed([0])))
    const [, , refused = 0, retried = 0] = sentBy("POST", received)
    assert.isAtLeast(retried - refused, refillMillis / 2)
  })

  Test.effect("returns the retry of a call that was interrupted while it waited", function* () {
    const { calls, received } = yield* FakeService.make([down], {
      retry: { budget: 1, attempts: 2 }
    })
    const either = Effect.either(calls.read(FakeService.calls.read))
    const read = Effect.withRandom(either, Random.fixed([0]))
    yield* Effect.fork(read)
    yield* TestClock.adjust(0)
    assert.lengthOf(received, 2)
    // Each of these waits for the budget only.
    const waiting = yield* Effect.fork(all(10, () => read))
    yield* TestClock.adjust(0)
    yield* Fiber.interrupt(waiting)
    assert.lengthOf(received, 12)
    yield* Effect.fork(read)
    yield* TestClock.adjust(refillMillis)
    assert.lengthOf(received, 14)
  })

  Test.effect("has its own budget", function* () {
    const options = { retry: { budget: 1 } }
    const first = yield* FakeService.make([down], options)
    const second = yield* FakeService.make([down, FakeService.success], options)
    yield* Effect.fork(Effect.either(first.calls.read(FakeService.calls.read)))
    yield* TestClock.adjust("1 second")
    yield* Elapsed.toTheEnd(second.calls.read(FakeService.calls.read))
    const [before = 0, after = Infinity] = sentBy("GET", second.received)
    assert.isAtMost(after - before, 250)
  })
})
