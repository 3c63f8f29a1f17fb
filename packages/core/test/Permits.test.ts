import { assert, describe, it } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { Scheduler } from "effect/Scheduler"
import * as TestClock from "effect/TestClock"
import { PCGRandom } from "effect/Utils"
import * as permits from "../src/internal/wait/permits.js"

const others = (turns: number) => Effect.repeatN(Effect.yieldNow(), turns)

/** Whether another fiber obtains a permit soon. */
const isFree = (withPermit: permits.Permits["withPermit"]) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(withPermit(Effect.void))
    yield* others(150)
    return Option.isSome(yield* Fiber.poll(fiber))
  })

describe("permits", () => {
  Test.effect("limit concurrency in FIFO order", function* () {
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

  Test.effect("are released by failed or interrupted work, running or waiting", function* () {
    const { withPermit } = permits.make(1)
    yield* Effect.ignore(withPermit(Effect.fail("no")))
    const working = yield* Effect.fork(withPermit(Effect.never))
    yield* Effect.yieldNow()
    const impatient = yield* Effect.fork(withPermit(Effect.never))
    const patient = yield* Effect.fork(withPermit(Effect.void))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(impatient)
    yield* Fiber.interrupt(working)
    yield* others(100)
    assert.isTrue(Option.isSome(yield* Fiber.poll(patient)))
    assert.isTrue(yield* isFree(withPermit))
  })

  Test.effect("reach each of 3,000 that wait, in order", function* () {
    const { withPermit } = permits.make(1)
    const waiting = Array.from({ length: 3000 }, (_, i) => i)
    const started: Array<number> = []
    const work = (i: number) =>
      withPermit(
        Effect.zipLeft(
          Effect.yieldNow(),
          Effect.sync(() => started.push(i))
        )
      )
    yield* Effect.fork(Effect.forEach(waiting, work, { concurrency: "unbounded" }))
    for (let turn = 0; turn < 30_000 && started.length < waiting.length; turn++) {
      yield* Effect.yieldNow()
    }
    assert.deepStrictEqual(started, waiting)
  })

  Test.effect("report whether one is available", function* () {
    const { isFree: isOneFree, withPermit } = permits.make(2)
    assert.isTrue(isOneFree())
    const first = yield* Effect.fork(withPermit(Effect.never))
    yield* others(10)
    assert.isTrue(isOneFree())
    const second = yield* Effect.fork(withPermit(Effect.never))
    const third = yield* Effect.fork(withPermit(Effect.never))
    yield* others(10)
    assert.isFalse(isOneFree())
    // The waiting fiber obtains it.
    yield* Fiber.interrupt(first)
    assert.isFalse(isOneFree())
    yield* Fiber.interrupt(second)
    assert.isTrue(isOneFree())
    yield* Fiber.interrupt(third)
  })

  it("are not lost in any order in which fibers run and yield", () => {
    /** Whether another fiber obtains a permit that is granted while its waiter is interrupted. */
    const comesBack = (steps: number) =>
      Effect.gen(function* () {
        const { withPermit } = permits.make(1)
        const go = yield* Deferred.make<void>()
        const working = yield* Effect.fork(withPermit(Deferred.await(go)))
        yield* others(10)
        const waiting = yield* Effect.fork(withPermit(Effect.void))
        yield* others(50)
        yield* Deferred.succeed(go, undefined)
        yield* others(steps)
        yield* Fiber.interruptFork(waiting)
        yield* Fiber.await(working)
        yield* Fiber.await(waiting)
        return yield* isFree(withPermit)
      })

    let lost = 0
    for (let seed = 0; seed < 300; seed++) {
      const random = new PCGRandom(seed)
      const between = (min: number, max: number) => min + random.integer(max - min + 1)
      const tasks: Array<() => void> = []
      let left = between(4, 24)
      const scheduler: Scheduler = {
        shouldYield: () => {
          if (--left > 0) return false
          left = between(4, 24)
          return 0
        },
        scheduleTask: (task) => void tasks.push(task)
      }
      const fiber = Effect.runFork(comesBack(between(0, 12)), { scheduler })
      let exit: Exit.Exit<boolean> | undefined
      fiber.addObserver((ended) => (exit = ended))
      while (tasks.length > 0) tasks.splice(between(0, tasks.length - 1), 1)[0]?.()
      if (exit === undefined || Exit.isFailure(exit) || !exit.value) lost++
    }
    assert.strictEqual(lost, 0)
  })
})
