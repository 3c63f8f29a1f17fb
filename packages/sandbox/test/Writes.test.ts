/** Rules that every declared write follows, whoever adds one. */
import { assert, describe } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Scenario from "@manilla/sandbox/Scenario"
import { settled, tests } from "@manilla/test-support/Sandboxed"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"

const test = tests()

const key = IdempotencyKey.make("order-42")

/** Sends a good request of a write. The resources that it needs exist before `before` runs. */
const sent = ({ request, send }: writes.Write, before: Effect.Effect<unknown> = Effect.void) =>
  Effect.gen(function* () {
    const good = yield* request
    yield* before
    return yield* send(good, key)
  })

describe("what a write with a key made", () => {
  for (const write of writes.keyed()) {
    test(`is found by the key: ${write.name}`, function* () {
      yield* sent(write)
      assert.strictEqual(yield* writes.madeWith(key), 1)
      assert.strictEqual(yield* writes.madeWith("another"), 0)
    })

    test(`is made once by 50 concurrent requests: ${write.name}`, function* ({ sandbox }) {
      const wallets = Effect.zipRight(settled, sandbox.wallets)
      yield* sent(write)
      const once = yield* wallets
      yield* sandbox.reset()
      const made = yield* Effect.replicateEffect(sent(write), 50, { concurrency: "unbounded" })
      for (const one of made) assert.deepStrictEqual(one, made[0])
      assert.strictEqual(yield* writes.madeWith(key), 1)
      assert.deepStrictEqual(yield* wallets, once)
      const requests = (yield* sandbox.exchanges).filter((one) => one.operation === write.name)
      const keys = requests.map((one) => one.key)
      assert.deepStrictEqual(
        keys,
        made.map(() => key)
      )
    })

    test(`is in the first response, also after it has settled: ${write.name}`, function* () {
      const first = yield* sent(write)
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* sent(write), first)
    })
  }

  test("is not what another write made with this key", function* () {
    for (const write of writes.keyed()) yield* sent(write)
    assert.strictEqual(yield* writes.madeWith(key), writes.keyed().length)
  })
})

describe("what a write reserved", () => {
  const settling = Scenario.scenarios.filter(({ effect }) => effect._tag === "Becomes")
  for (const write of writes.all) {
    for (const { effect, name } of settling.filter((one) => Scenario.appliesTo(one, write.name))) {
      if (effect._tag !== "Becomes" || ["PENDING", "COMPLETED"].includes(effect.status)) continue
      test(`is given back if it ${name}: ${write.name}`, function* ({ sandbox }) {
        let before: unknown
        const prepare = Effect.gen(function* () {
          before = yield* sandbox.wallets
          yield* sandbox.faults.add(Scenario.request(name))
        })
        yield* sent(write, Effect.orDie(prepare))
        yield* sandbox.advance({ seconds: 3600 })
        yield* settled
        assert.deepStrictEqual(yield* sandbox.wallets, before)
      })
    }
  }
})
