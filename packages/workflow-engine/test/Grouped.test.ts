/** Statements that many executions share. */
import { assert, describe } from "@effect/vitest"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { grouped } from "../src/internal/sql/grouped.js"

interface Input {
  readonly row: string
  readonly value: number
}

/** A statement that notes its groups, takes a moment, and fails with a bad value. */
const make = (how: "first" | "shared" = "first") => {
  const groups: Array<ReadonlyArray<number>> = []
  const statement = grouped(Runtime.defaultRuntime, how)(
    ({ row }: Input) => row,
    (inputs: ReadonlyArray<Input>) =>
      Effect.gen(function* () {
        groups.push(inputs.map(({ value }) => value))
        yield* Effect.sleep("10 millis")
        if (inputs.some(({ value }) => value < 0)) return yield* Effect.fail("bad")
        return inputs
      })
  )
  const add = (input: Input) => Effect.map(statement(input), (answer) => answer?.value)
  return { groups, add }
}

const rowOf = (value: number): Input => ({ row: `r${value}`, value })

describe("grouped statements", () => {
  Test.live("are few, and each input has its own result", function* () {
    const { add, groups } = make()
    const values = Array.from({ length: 250 }, (_, i) => i)
    const results = yield* Effect.forEach(values, (value) => add(rowOf(value)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(results, values)
    assert.isAtMost(groups.length, 4)
    assert.isAtMost(Math.max(...groups.map((group) => group.length)), 100)
  })

  Test.live("have a row once, in the order of the calls", function* () {
    const { add, groups } = make()
    const inputs = [1, 2, 3].map((value): Input => ({ row: "same", value }))
    const results = yield* Effect.forEach(inputs, add, { concurrency: "unbounded" })
    assert.deepStrictEqual(results, [1, 2, 3])
    assert.deepStrictEqual(groups, [[1], [2], [3]])
  })

  Test.live("have one row for all equal inputs, if they are shared", function* () {
    const { add, groups } = make("shared")
    const inputs = [1, 2, 1, 1, 2].map(rowOf)
    const results = yield* Effect.forEach(inputs, add, { concurrency: "unbounded" })
    assert.deepStrictEqual(results, [1, 2, 1, 1, 2])
    assert.deepStrictEqual(groups, [[1, 2]])
  })

  Test.live("fail only for the input that fails alone", function* () {
    const { add } = make()
    const results = yield* Effect.forEach([1, -2, 3], (value) => Effect.either(add(rowOf(value))), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(results, [Either.right(1), Either.left("bad"), Either.right(3)])
  })

  Test.live("leave out an input that was interrupted before", function* () {
    const { add, groups } = make()
    const first = yield* Effect.fork(
      Effect.all([add(rowOf(1)), add({ row: "r1", value: 5 })], { concurrency: 2 })
    )
    yield* Effect.sleep("5 millis")
    const second = yield* Effect.fork(add({ row: "r1", value: 2 }))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(second)
    yield* Fiber.join(first)
    assert.notInclude(groups.flat(), 2)
  })
})
