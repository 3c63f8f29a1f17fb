/** Rules that every declared write follows, whoever adds one. */
import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Scenario from "@manilla/sandbox/Scenario"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import { layer, settled } from "@manilla/test-support/Sandboxed"
import * as writes from "@manilla/test-support/Writes"
import * as Effect from "effect/Effect"

const key = IdempotencyKey.make("order-42")

/** Sends a good request of a write. Whatever the request needs was made before `before` runs. */
const sent = ({ request, send }: writes.Write, before: Effect.Effect<unknown> = Effect.void) =>
  Effect.gen(function* () {
    const good = yield* request
    yield* before
    return yield* send(good, key)
  })

describe("what a write with a key made", () => {
  for (const write of writes.keyed()) {
    it.effect(`is found by the key: ${write.name}`, () =>
      Effect.gen(function* () {
        yield* sent(write)
        assert.strictEqual(yield* writes.madeWith(key), 1)
        assert.strictEqual(yield* writes.madeWith("another"), 0)
      }).pipe(Effect.provide(layer()))
    )
  }
})

describe("what a write reserved", () => {
  const settling = Scenario.scenarios.filter(({ effect }) => effect._tag === "Becomes")
  for (const write of writes.all) {
    for (const { effect, name } of settling.filter((one) => Scenario.appliesTo(one, write.name))) {
      if (effect._tag !== "Becomes" || ["PENDING", "COMPLETED"].includes(effect.status)) continue
      it.effect(`is given back if it ${name}: ${write.name}`, () =>
        Effect.gen(function* () {
          const sandbox = yield* Sandbox.Sandbox
          let before: unknown
          const prepare = Effect.gen(function* () {
            before = yield* sandbox.wallets
            yield* sandbox.faults.add(Scenario.request(name))
          })
          yield* sent(write, Effect.orDie(prepare))
          yield* sandbox.advance({ seconds: 3600 })
          yield* settled
          assert.deepStrictEqual(yield* sandbox.wallets, before)
        }).pipe(Effect.provide(layer()))
      )
    }
  }
})
