/**
 * The client with every profile of idempotency: nothing is paid twice, and nothing that may have been
 * applied is reported as not applied.
 */
import { assert, describe } from "@effect/vitest"
import * as Fault from "@manilla/sandbox/Fault"
import * as Scenario from "@manilla/sandbox/Scenario"
import { key, tests } from "@manilla/test-support/Sandboxed"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"

const write = ({ request, send }: writes.Write) =>
  Effect.flatMap(request, (good) => send(good, key))

const writeOther = ({ other, send }: writes.Write) =>
  Effect.flatMap(other, (good) => send(good, key))

const made = writes.madeWith(key)

const soon = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(self))
    yield* TestClock.adjust("10 minutes")
    return yield* Fiber.join(fiber)
  })

const tagOf = <A, E extends { readonly _tag: string }>(result: Either.Either<A, E>) =>
  Either.isLeft(result) ? result.left._tag : "success"

const profiles = ([422, 409, "replay"] as const).flatMap((other_body) =>
  ([409, "wait", "replay"] as const).flatMap((in_flight) =>
    (["replay", "again"] as const).map((failures) => ({
      other_body,
      in_flight,
      failures,
      retention_seconds: 86_400
    }))
  )
)

for (const profile of profiles) {
  const { failures, in_flight, other_body } = profile
  describe(`other body ${other_body}, in flight ${in_flight}, failures ${failures}`, () => {
    for (const one of writes.keyed()) {
      const { name: operation } = one
      tests({ idempotency: profile })(`${operation} has one effect`, function* ({ sandbox }) {
        // A refused request, then a good one with the same key.
        yield* sandbox.faults.add(Scenario.request("insufficient_funds", { operation }))
        assert.strictEqual(tagOf(yield* soon(write(one))), "UnprocessableError")
        const second = yield* soon(write(one))
        const isReplayed = failures === "replay"
        assert.strictEqual(tagOf(second), isReplayed ? "UnprocessableError" : "success")
        assert.strictEqual(yield* made, isReplayed ? 0 : 1)

        // Lost answers.
        yield* sandbox.reset()
        yield* sandbox.faults.add(Fault.dropAfter({ operation, count: 2 }))
        const first = yield* soon(write(one))
        assert.strictEqual(tagOf(first), "success")
        assert.strictEqual(yield* made, 1)

        // The same key with another request: it makes nothing, and only a 422 says so for certain.
        const other = { 422: "UnprocessableError", 409: "OutcomeUnknown", replay: "KeyReused" }
        assert.strictEqual(tagOf(yield* soon(writeOther(one))), other[other_body])
        assert.strictEqual(yield* made, 1)

        // A second call while the first is not answered.
        yield* sandbox.reset()
        yield* sandbox.faults.add(Fault.delay("5 seconds", { operation }))
        const slow = yield* Effect.fork(Effect.either(write(one)))
        yield* TestClock.adjust("1 second")
        const next = yield* Effect.fork(Effect.either(write(one)))
        yield* TestClock.adjust("1 second")
        const isAnswered = Option.isSome(yield* Fiber.poll(next))
        assert.strictEqual(isAnswered, in_flight !== "wait")
        yield* TestClock.adjust("10 minutes")
        const meanwhile = yield* Fiber.join(next)
        assert.strictEqual(tagOf(meanwhile), in_flight === 409 ? "OutcomeUnknown" : "success")
        const ended = yield* Fiber.join(slow)
        assert.strictEqual(tagOf(ended), "success")
        if (Either.isRight(meanwhile)) assert.deepStrictEqual(meanwhile, ended)
        assert.strictEqual(yield* made, 1)
      })
    }
  })
}

describe("a key", () => {
  tests({ idempotency: { retention_seconds: 3600 } })(
    "is forgotten after its retention, and then makes another payment",
    function* ({ sandbox }) {
      const payment = writes.all.find(({ name }) => name === "Payments.create") ?? assert.fail()
      const first = yield* write(payment)
      yield* sandbox.advance({ seconds: 3540 })
      assert.deepStrictEqual(yield* write(payment), first)
      yield* sandbox.advance({ seconds: 60 })
      assert.notDeepEqual(yield* write(payment), first)
      assert.strictEqual(yield* made, 2)
    }
  )
})
