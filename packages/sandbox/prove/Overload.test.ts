/**
 * Many callers during an outage: the load on the service stays bounded, and after the outage calls are
 * served in turn, without a second wave.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { all, callers, fullest, once, read, run } from "./utils/standIn.js"

// The tests take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const down = { operation: "Payments.create" } as const

/** The capacity of the retry budget, and its refill per second. */
const [capacity, perSecond] = [RetryPolicy.defaults.budget, RetryPolicy.defaults.budget / 10]

/** The retries that the budget allows in this period: its capacity plus the refill. */
const allowance = (moments: ReadonlyArray<number>): number =>
  capacity + ((Math.max(...moments) - Math.min(...moments)) / 1000) * perSecond

describe("1,000 callers during an outage", () => {
  for (const [how, trouble] of [
    ["responds 503", { ...down, status: 503 }],
    ["closes connections", { ...down, status: "drop" }],
    ["never responds", { ...down, status: "silence" }],
    ["responds 503 with Retry-After", { ...down, status: 503, retryAfter: 2 }]
  ] as const) {
    it.live(
      `in which the service ${how} make one attempt per call, plus the retry budget and its refill`,
      () =>
        run((service) =>
          Effect.gen(function* () {
            yield* service.suffer(trouble)
            const results = yield* Effect.forEach(callers, (i) => once("first", i), all)
            assert.isTrue(results.every(Either.isLeft))
            assert.isAtMost(yield* Clock.currentTimeMillis, 180_000)
            const moments = service.moments("Payments.create")
            assert.isAtLeast(moments.length, 1000 + capacity)
            assert.isAtMost(moments.length, 1000 + allowance(moments))
            // Once the budget is spent, each second has at most the refill. The retries of the budget
            // itself may be spread over the timeout and the longest back-off.
            const steady = moments.filter((moment) => moment >= 60_000)
            assert.isAtLeast(steady.length, 100)
            assert.isAtMost(fullest(steady, 1000), perSecond + 1)
            assert.strictEqual(service.made.size, 0)
          })
        )
    )
  }

  // A token renewal does not use the budget. Otherwise a token revoked during 1,000 calls would fail
  // 900 of them.
  it.live(
    "make at most 2 attempts per call on 401, and one token request for all concurrent failures",
    () =>
      run(
        (service) =>
          Effect.gen(function* () {
            yield* service.suffer({ ...down, status: 401 })
            for (let wave = 1; wave <= 2; wave++) {
              const results = yield* Effect.forEach(callers, (i) => once(wave, i), all)
              assert.isTrue(results.every(Either.isLeft))
              assert.isAtMost(service.moments("Payments.create").length, wave * 2000)
              assert.isAtMost(service.moments("Token.obtain").length, wave + 1)
              yield* Effect.sleep("10 seconds")
            }
            assert.strictEqual(service.made.size, 0)
            yield* service.suffer({ ...down, status: 401, times: 1000 })
            const results = yield* Effect.forEach(callers, (i) => once("revoked", i), all)
            assert.isTrue(results.every(Either.isRight))
          }),
        { budget: 0 }
      )
  )

  it.live("make 2 attempts per sequential call on 401, and few token requests", () =>
    run((service) =>
      Effect.gen(function* () {
        yield* service.suffer({ ...down, status: 401 })
        const arrive = (i: number) => Effect.delay(once("one by one", i), i * 120)
        const results = yield* Effect.forEach(callers, arrive, all)
        assert.isTrue(results.every(Either.isLeft))
        assert.isAtMost(service.moments("Payments.create").length, 2000)
        // The delay grows to 30 seconds over two minutes. Without it, there would be 1,000.
        assert.isAtMost(service.moments("Token.obtain").length, 30)
        assert.strictEqual(service.made.size, 0)
      })
    )
  )

  it.live("are served in turn after the outage, without a second wave, and pay once each", () =>
    run((service) =>
      Effect.gen(function* () {
        yield* service.suffer({ ...down, status: 503, processed: true })
        const outageMillis = 16_000
        const succeeded: Array<number> = []
        // Each caller repeats its call every 2 to 4 seconds until the outcome is known.
        const persist = (i: number) =>
          Effect.gen(function* () {
            yield* Effect.sleep((i % 100) * 20)
            for (;;) {
              const result = yield* once("persistent", i)
              if (Either.isRight(result)) break
              if (result.left._tag !== "OutcomeUnknown") return yield* Effect.die(result.left)
              yield* Effect.sleep(2000 + (yield* Random.nextIntBetween(0, 2000)))
            }
            succeeded.push(yield* Clock.currentTimeMillis)
          })
        const everyone = yield* Effect.fork(Effect.forEach(callers, persist, all))
        yield* Effect.sleep(outageMillis)
        yield* service.suffer(undefined)
        yield* Fiber.join(everyone)
        const moments = service.moments("Payments.create")
        const after = moments.filter((moment) => moment >= outageMillis)
        // All callers wait for a turn, including those that failed during the outage.
        const turns = moments.length - 1000 - capacity
        assert.isAtMost(Math.max(...succeeded), (turns / perSecond) * 1000 + 5000)
        // Requests come no faster than the refill, and none is repeated.
        assert.isAtMost(fullest(after, 1000), perSecond + 1)
        assert.isAtMost(after.length, 1000)
        assert.strictEqual(service.made.size, 1000)
      })
    )
  )

  it.live("regain their budget only through time and successes", () =>
    run((service) =>
      Effect.gen(function* () {
        for (let outage = 1; outage <= 2; outage++) {
          yield* service.suffer({ ...down, status: 503 })
          yield* Effect.forEach(callers, (i) => once(outage, i), all)
          yield* service.suffer(undefined)
          // 300 successes earn 30 retries.
          yield* Effect.forEach(callers.slice(0, 300), (i) => once("up", outage, i), all)
          const moments = service.moments("Payments.create")
          assert.isAtMost(moments.length, outage * 1300 + allowance(moments) + (outage - 1) * 30)
        }
      })
    )
  )

  it.live("do not use the budget of reads with writes", () =>
    run((service) =>
      Effect.gen(function* () {
        yield* service.suffer({ ...down, status: 503 })
        const writes = yield* Effect.fork(Effect.forEach(callers, (i) => once("write", i), all))
        yield* Effect.sleep("1 second")
        yield* service.suffer({ operation: "Payments.get", status: 503, times: capacity })
        const startedMillis = yield* Clock.currentTimeMillis
        const reads = yield* Effect.forEach(callers.slice(0, capacity), () => read, all)
        assert.isTrue(reads.every(Either.isRight))
        // The longest back-off before a second attempt.
        assert.isAtMost((yield* Clock.currentTimeMillis) - startedMillis, 300)
        yield* Fiber.interrupt(writes)
      })
    )
  )

  it.live("do not delay later calls after giving up", () =>
    run((service) =>
      Effect.gen(function* () {
        yield* service.suffer({ ...down, status: 503 })
        const hasty = (i: number) => Effect.timeoutOption(once("hasty", i), "1 second")
        yield* Effect.forEach(callers, hasty, all)
        // The budget refills within 10 seconds.
        yield* Effect.sleep("10 seconds")
        yield* service.suffer({ ...down, status: 503, times: 1 })
        const startedMillis = yield* Clock.currentTimeMillis
        assert.isTrue(Either.isRight(yield* once("later")))
        assert.isAtMost((yield* Clock.currentTimeMillis) - startedMillis, 300)
      })
    )
  )
})

describe("1,000 calls that fail at the same time", () => {
  it.live("spread their second attempts over the whole back-off", () =>
    run(
      (service) =>
        Effect.gen(function* () {
          yield* service.suffer({ ...down, status: 503, times: 1000 })
          const results = yield* Effect.forEach(callers, (i) => once("spread", i), all)
          assert.isTrue(results.every(Either.isRight))
          const moments = service.moments("Payments.create")
          assert.strictEqual(moments.length, 2000)
          assert.strictEqual(fullest(moments.slice(0, 1000), 20), 1000)
          // With full jitter over 250 ms, a window of 20 ms has 80 attempts (standard deviation 9). With
          // jitter over the upper half only it would have 160, and without jitter all 1,000.
          assert.isAtMost(fullest(moments.slice(1000), 20), 120)
        }),
      { budget: 2000 }
    )
  )
})

describe("Retry-After for all callers", () => {
  for (const status of [429, 503]) {
    it.live(`with ${status} does not synchronise 1,000 callers`, () =>
      run(
        (service) =>
          Effect.gen(function* () {
            yield* service.suffer({ ...down, status, times: 1000, retryAfter: 7 })
            const results = yield* Effect.forEach(callers, (i) => once("later", i), all)
            assert.isTrue(results.every(Either.isRight))
            const returned = service.moments("Payments.create").slice(1000)
            assert.strictEqual(returned.length, 1000)
            assert.isAtLeast(Math.min(...returned), 7000)
            // The clock ticks every 20 ms, and the retries are spread over 250 ms.
            assert.isAtMost(fullest(returned, 20), 200)
            assert.isAtLeast(new Set(returned).size, 10)
          }),
        { budget: 2000 }
      )
    )
  }
})
