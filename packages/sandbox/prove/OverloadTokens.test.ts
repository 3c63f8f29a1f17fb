/**
 * Many callers during an outage of the token endpoint: its load stays bounded.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { all, callers, fullest, once, run } from "./utils/standIn.js"

// The tests take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

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
