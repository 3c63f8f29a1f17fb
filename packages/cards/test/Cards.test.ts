/**
 * The client over the sandbox.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Cards from "@manilla/cards/Cards"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { cardFrom, key, layer } from "@manilla/test-support/Sandboxed"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"

describe("issue", () => {
  it.effect("sends the key of the call in the body, whatever the request says", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const request = { ...(yield* cardFrom()), idempotency_key: "of-an-earlier-card" }
      const { card } = yield* cards.issue(request as never, { key })
      assert.strictEqual(card.issuance_reference, key)
    }).pipe(Effect.provide(layer()))
  )

  for (const length of [101, 256]) {
    it.effect(`refuses a key of ${length} characters, and states the limit of 100`, () =>
      Effect.gen(function* () {
        const cards = yield* Cards.Cards
        // A brand does not limit the length of a key that was made by other means.
        const long = "k".repeat(length) as IdempotencyKey.IdempotencyKey
        const error = yield* Effect.flip(cards.issue(yield* cardFrom(), { key: long }))
        assert.include(error.message, "must be 1 to 100 printable ASCII characters")
      }).pipe(Effect.provide(layer()))
    )
  }

  it.effect("issues one card though its first answer is lost", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.faults.add(Fault.dropAfter({ operation: "Cards.issue" }))
      const issuing = yield* Effect.fork(cards.issue(yield* cardFrom(), { key }))
      yield* TestClock.adjust("1 minute")
      const { card } = yield* Fiber.join(issuing)
      assert.deepStrictEqual(
        (yield* cards.list()).data.map(({ id }) => id),
        [card.id]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.effect("fails with OutcomeUnknown, which names the key, when no answer comes", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const sandbox = yield* Sandbox.Sandbox
      yield* sandbox.faults.add(Fault.dropAfter({ operation: "Cards.issue", count: "always" }))
      const issuing = yield* Effect.fork(Effect.flip(cards.issue(yield* cardFrom(), { key })))
      yield* TestClock.adjust("1 hour")
      const error = yield* Fiber.join(issuing)
      assert(error._tag === "OutcomeUnknown")
      assert.strictEqual(error.key, key)
      assert.strictEqual((yield* cards.list()).total, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("stream", () => {
  it.effect("reads every page, newest card first", () =>
    Effect.gen(function* () {
      const cards = yield* Cards.Cards
      const request = { ...(yield* cardFrom("USD")), initial_balance: "0" }
      for (const name of ["a", "b", "c"]) {
        yield* cards.issue(request, { key: IdempotencyKey.derive(name) })
      }
      const streamed = yield* Stream.runCollect(cards.stream({ per_page: 2 }))
      assert.deepStrictEqual(
        Array.from(streamed, ({ issuance_reference }) => issuance_reference),
        ["c", "b", "a"]
      )
    }).pipe(Effect.provide(layer()))
  )
})
