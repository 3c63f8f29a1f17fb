/**
 * Many callers during an outage of the service, or of its token endpoint: the load stays bounded, and after the
 * outage calls are served in turn, without a second wave.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { all, callers, fullest, once, run } from "./utils/standIn.js"

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
})

const tokenless = { operation: "Token.obtain" } as const

describe("an outage of the token endpoint", () => {
  for (const [how, trouble] of [
    ["status 503", { ...tokenless, status: 503 }],
    ["closed connections", { ...tokenless, status: "drop" }],
    ["429 and Retry-After", { ...tokenless, status: 429, retryAfter: 20 }]
  ] as const) {
    it.live(`with ${how}: 1,000 callers make few token requests and then succeed`, () =>
      run((service) =>
        Effect.gen(function* () {
          yield* service.suffer(trouble)
          const paid: Array<number> = []
          const minutes = 3
          const persist = (i: number) =>
            Effect.gen(function* () {
              for (;;) {
                const result = yield* once("token", i)
                if (Either.isRight(result)) break
                assert.strictEqual(result.left._tag, "TokenUnavailableError")
                yield* Effect.sleep("5 seconds")
              }
              paid.push(yield* Clock.currentTimeMillis)
            })
          const everyone = yield* Effect.fork(Effect.forEach(callers, persist, all))
          yield* Effect.sleep(`${minutes} minutes`)
          yield* service.suffer(undefined)
          yield* Fiber.join(everyone)

          const moments = service.moments("Token.obtain")
          assert.isAtLeast(moments.length, 5)
          // Five attempts per token request, and delays of up to 30 seconds between requests.
          assert.isBelow(moments.length, minutes * 30)
          assert.isAtMost(fullest(moments, 1000), 10)
          assert.strictEqual(paid.length, 1000)
          assert.isBelow(Math.max(...paid), minutes * 60_000 + 35_000)
          assert.strictEqual(service.made.size, 1000)
          assert.strictEqual(service.moments("Payments.create").length, 1000)
        })
      )
    )
  }
})
