/**
 * Many callers and a service that cannot serve them: what reaches it stays bounded, and it is found
 * again soon after it is back, without a second wave.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { all, callers, fullest, once, run } from "./utils/standIn.js"

// Seconds of work, on a machine that may have other work.
vi.setConfig({ testTimeout: 60_000 })

const down = { operation: "Payments.create" } as const

describe("1,000 callers and a service that is down", () => {
  for (const [how, trouble] of [
    ["answers 503", { ...down, status: 503 }],
    ["breaks its connections", { ...down, status: "drop" }],
    ["never answers", { ...down, status: "silence" }],
    ["says 503 and Retry-After", { ...down, status: 503, retryAfter: 2 }]
  ] as const) {
    it.live(
      `that ${how}: 1.1 attempts for each call at most, and one each once the budget is spent`,
      () =>
        run((service) =>
          Effect.gen(function* () {
            yield* service.suffer(trouble)
            const first = yield* Effect.forEach(callers, (i) => once("first", i), all)
            assert.isTrue(first.every(Either.isLeft))
            const attempts = service.moments("Payments.create").length
            assert.isAtMost(attempts, 1100)
            yield* Effect.sleep("10 seconds")
            yield* Effect.forEach(callers, (i) => once("second", i), all)
            assert.strictEqual(service.moments("Payments.create").length - attempts, 1000)
            assert.strictEqual(service.made.size, 0)
          })
        )
    )
  }

  // A renewal takes nothing from the budget: a token that is revoked while it serves 1,000 calls
  // must not fail 900 of them.
  it.live(
    "that answers 401: 2 attempts for each call at most, and one new token for all that fail at once",
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

  it.live(
    "that answers 401 to one call after the other: 2 attempts for each, and few new tokens",
    () =>
      run((service) =>
        Effect.gen(function* () {
          yield* service.suffer({ ...down, status: 401 })
          const arrive = (i: number) => Effect.delay(once("one by one", i), i * 120)
          const results = yield* Effect.forEach(callers, arrive, all)
          assert.isTrue(results.every(Either.isLeft))
          assert.isAtMost(service.moments("Payments.create").length, 2000)
          // Pauses up to 30 seconds between them, over two minutes; without, there would be 1,000.
          assert.isAtMost(service.moments("Token.obtain").length, 30)
          assert.strictEqual(service.made.size, 0)
        })
      )
  )

  it.live(
    "find it again within seconds when it is back, at the pace of their callers, and pay once each",
    () =>
      run((service) =>
        Effect.gen(function* () {
          yield* service.suffer({ ...down, status: 503, processed: true })
          const outageMillis = 16_000
          const succeeded: Array<number> = []
          // Each goes on with its key every 2 to 4 seconds until it knows.
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
          assert.isAtMost(Math.max(...succeeded), outageMillis + 5000)

          const moments = service.moments("Payments.create")
          const during = moments.filter((moment) => moment >= 8000 && moment < 16_000).length / 8
          const after = moments.filter((moment) => moment >= outageMillis)
          // Nobody comes faster than before, and nobody twice.
          assert.isAtMost(fullest(after, 1000), during * 2)
          assert.isAtMost(after.length, 1001)
          assert.strictEqual(service.made.size, 1000)
        })
      )
  )

  it.live("spend their budget anew only as successes earn it", () =>
    run((service) =>
      Effect.gen(function* () {
        let attempts = 0
        for (let outage = 0; outage < 2; outage++) {
          yield* service.suffer({ ...down, status: 503 })
          yield* Effect.forEach(callers, (i) => once(outage, i), all)
          yield* service.suffer(undefined)
          // 300 successes earn 30 retries.
          yield* Effect.forEach(callers.slice(0, 300), (i) => once("up", outage, i), all)
          attempts = service.moments("Payments.create").length
          assert.isAtMost(attempts, (outage + 1) * 1300 + 100 + outage * 30)
        }
      })
    )
  )
})

describe("1,000 calls that fail in one instant", () => {
  it.live("do not come back in one: their second attempts are spread over the whole back-off", () =>
    run(
      (service) =>
        Effect.gen(function* () {
          yield* service.suffer({ ...down, status: 503, times: 1000 })
          const results = yield* Effect.forEach(callers, (i) => once("spread", i), all)
          assert.isTrue(results.every(Either.isRight))
          const moments = service.moments("Payments.create")
          assert.strictEqual(moments.length, 2000)
          assert.strictEqual(fullest(moments.slice(0, 1000), 20), 1000)
          // Drawn between 0 and 250 ms, 20 ms hold 80 of them, give or take 9. From the upper half
          // alone they would hold 160, and all 1,000 where nothing is drawn.
          assert.isAtMost(fullest(moments.slice(1000), 20), 120)
        }),
      { budget: 2000 }
    )
  )
})

describe("Retry-After for everyone", () => {
  for (const status of [429, 503]) {
    it.live(`of ${status} does not bring 1,000 callers back in one instant`, () =>
      run(
        (service) =>
          Effect.gen(function* () {
            yield* service.suffer({ ...down, status, times: 1000, retryAfter: 7 })
            const results = yield* Effect.forEach(callers, (i) => once("later", i), all)
            assert.isTrue(results.every(Either.isRight))
            const returned = service.moments("Payments.create").slice(1000)
            assert.strictEqual(returned.length, 1000)
            assert.isAtLeast(Math.min(...returned), 7000)
            // The clock ticks every 20 ms, and they are spread over 250.
            assert.isAtMost(fullest(returned, 20), 200)
            assert.isAtLeast(new Set(returned).size, 10)
          }),
        { budget: 2000 }
      )
    )
  }
})
