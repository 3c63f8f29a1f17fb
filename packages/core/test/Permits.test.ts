import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as permits from "../src/internal/permits.js"

describe("permits", () => {
  it.effect("let as many run at once, in the order in which they came", () =>
    Effect.gen(function* () {
      const { withPermit } = permits.make(3)
      let running = 0
      let most = 0
      const started: Array<number> = []
      const work = (i: number) =>
        withPermit(
          Effect.gen(function* () {
            most = Math.max(most, ++running)
            started.push(i)
            yield* Effect.sleep(`${i + 1} millis`)
            running--
          })
        )
      const all = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: 10 }, (_, i) => i),
          work,
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(all)
      assert.strictEqual(most, 3)
      assert.deepStrictEqual(
        started,
        Array.from({ length: 10 }, (_, i) => i)
      )
    })
  )

  it.effect("come back from those that fail, are interrupted at work, or while they wait", () =>
    Effect.gen(function* () {
      const { withPermit } = permits.make(1)
      yield* Effect.ignore(withPermit(Effect.fail("no")))
      const working = yield* Effect.fork(withPermit(Effect.never))
      yield* Effect.yieldNow()
      const impatient = yield* Effect.fork(withPermit(Effect.never))
      const patient = yield* Effect.fork(withPermit(Effect.succeed("done")))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(impatient)
      yield* Fiber.interrupt(working)
      assert.strictEqual(yield* Fiber.join(patient), "done")
      assert.strictEqual(yield* withPermit(Effect.succeed("free again")), "free again")
    })
  )

  it.effect("are not lost when one is granted and interrupted in the same breath", () =>
    Effect.gen(function* () {
      const { withPermit } = permits.make(1)
      for (let i = 0; i < 100; i++) {
        const first = yield* Effect.fork(withPermit(Effect.yieldNow()))
        const second = yield* Effect.fork(withPermit(Effect.yieldNow()))
        for (let j = 0; j < i % 5; j++) yield* Effect.yieldNow()
        yield* Fiber.interruptFork(second)
        yield* Fiber.interruptFork(first)
        yield* Fiber.await(first)
        yield* Fiber.await(second)
      }
      assert.strictEqual(yield* withPermit(Effect.succeed("free")), "free")
    })
  )
})
