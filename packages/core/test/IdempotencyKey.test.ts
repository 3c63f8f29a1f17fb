import { assert, describe, it } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"

const isKey = Schema.is(IdempotencyKey.IdempotencyKey)
type Parts = readonly [string, ...ReadonlyArray<string>]
const derive = (parts: ReadonlyArray<string>) => IdempotencyKey.derive(...(parts as Parts))
const deriveLong = (parts: ReadonlyArray<string>) => IdempotencyKey.deriveLong(...(parts as Parts))

describe("a key", () => {
  for (const text of [
    "k",
    "order-42",
    "a b",
    "~!@#$%^&*()",
    "x".repeat(255),
    `x${" ".repeat(253)}x`
  ]) {
    it(`may be ${text.length} characters like ${text.slice(0, 12)}`, () => assert(isKey(text)))
  }

  for (const [text, why] of [
    ["", "empty"],
    ["x".repeat(256), "256 characters long"],
    [" order-42", "led by a space"],
    ["order-42 ", "ended by a space"],
    [" ", "a space"],
    ["order-42\r\nX-Admin: 1", "two header lines"],
    ["order-42\n", "ended by a line end"],
    ["order\t42", "split by a tab"],
    ["order\u000042", "split by a NUL"],
    ["order\u007f42", "split by a DEL"],
    ["commande-n\u00ba42", "beyond ASCII"],
    ["\ud800", "a lone surrogate"],
    [42, "a number"]
  ] as const) {
    it(`may not be ${why}`, () => assert(!isKey(text)))
  }

  it("is checked by make", () => {
    assert.throws(() => IdempotencyKey.make("order-42\r\n"))
    assert.strictEqual(IdempotencyKey.make("order-42"), "order-42")
  })
})

/** The key of 101 times "x". */
const digested =
  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx~" +
  "63bb79539acd0b63a89bc28610c35432eccae54a27e0cbf2e9df437196a8a91a"

/** Text with the separators of keys, or that cannot be encoded. */
const part = FastCheck.oneof(
  FastCheck.string({ maxLength: 8 }),
  FastCheck.string({ unit: "binary", maxLength: 8 }),
  FastCheck.array(
    FastCheck.constantFrom(":", "%", "~", "%3A", "\ud800", "\udc00", "\ufffd", "a", "", " ", '"'),
    { maxLength: 5 }
  ).map((all) => all.join("")),
  FastCheck.string({ minLength: 30, maxLength: 60 })
)
const parts = FastCheck.array(
  part.filter((text) => text !== ""),
  { minLength: 1, maxLength: 4 }
)

describe("derive and deriveLong", () => {
  it.effect.prop("give the same valid key of at most 100 characters", [parts], ([some]) =>
    Effect.gen(function* () {
      const key = yield* deriveLong(some)
      assert(isKey(key))
      assert.isAtMost(key.length, IdempotencyKey.maxLengthInBody)
      assert.strictEqual(key, yield* deriveLong([...some]))
      if (key.includes("~")) assert.throws(() => derive(some), TypeError, /at most 100/)
      else assert.strictEqual(derive(some), key)
    })
  )

  it.effect.prop("give different keys for different parts", [parts, parts], ([some, others]) =>
    Effect.gen(function* () {
      FastCheck.pre(JSON.stringify(some) !== JSON.stringify(others))
      assert.notStrictEqual(yield* deriveLong(some), yield* deriveLong(others))
    })
  )

  it.effect("give different keys for similar parts", () => {
    const tuples: ReadonlyArray<ReadonlyArray<string>> = [
      ["a:b"],
      ["a", "b"],
      ["a%3Ab"],
      ["a%253Ab"],
      ["a~b"],
      ["a%7Eb"],
      [":"],
      ["%"],
      ["%25"],
      ["\ud800"],
      ["\udc00"],
      ["\ufffd"],
      ["\\ud800"],
      ["\ud83d\ude00"],
      ["\ud83d", "\ude00"],
      ["\u00e9"],
      ["e\u0301"],
      ["A"],
      ["a"],
      ["a "],
      [" a"],
      ["x".repeat(100)],
      ["x".repeat(101)],
      [`${"x".repeat(101)}y`],
      [`${"x".repeat(50)}`, `${"x".repeat(51)}`],
      ["%uD800"],
      [digested],
      [...Array.from({ length: 99 }, () => "x"), "y"],
      [...Array.from({ length: 99 }, () => "x"), "z"]
    ]
    return Effect.map(Effect.forEach(tuples, deriveLong), (keys) =>
      assert.strictEqual(new Set(keys).size, tuples.length)
    )
  })

  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
    ["no part", []],
    ["an empty part", ["order", ""]],
    ["an undefined part", ["order", undefined]],
    ["a number", ["order", 42]]
  ]
  for (const [what, given] of wrong) {
    it(`throw for ${what}: orders without a number would share one payment`, () => {
      assert.throws(() => derive(given as never), TypeError, /part/)
    })
  }

  it("are readable for simple parts", () => {
    assert.strictEqual(IdempotencyKey.derive("order", "42"), "order:42")
    assert.strictEqual(IdempotencyKey.derive("invoice", "2026-0042"), "invoice:2026-0042")
    assert.strictEqual(IdempotencyKey.derive("a b/c"), "a%20b%2Fc")
  })

  Test.effect("give the same keys in every version", function* () {
    // Stored keys must still be found after an upgrade: never change these.
    assert.strictEqual(yield* deriveLong(["x".repeat(101)]), digested)
    assert.strictEqual(
      yield* deriveLong(["batch", "x".repeat(100)]),
      `batch:${"x".repeat(29)}~4691b45b4c78d6eb4582ffb518999f20d8b0670f94354f7f97b7eba7adbaef68`
    )
    for (const [parts, key] of [
      [["x".repeat(100)], "x".repeat(100)],
      [["caf\u00e9", "(1)!"], "caf%C3%A9:%281%29%21"],
      [["~*'"], "%7E%2A%27"],
      [["\ud83d"], "%uD83D"]
    ] as const) {
      assert.strictEqual(derive(parts), key)
      assert.strictEqual(yield* deriveLong(parts), key)
    }
  })
})

describe("random", () => {
  Test.effect("is never the same twice", function* () {
    const keys = yield* Effect.replicateEffect(IdempotencyKey.random, 10_000)
    assert.strictEqual(new Set(keys).size, 10_000)
    for (const key of keys) {
      assert(isKey(key))
      assert.isAtMost(key.length, IdempotencyKey.maxLengthInBody)
    }
  })

  Test.effect("does not use Effect's Random, whose seed is short", function* () {
    const once = yield* Effect.withRandom(IdempotencyKey.random, Random.make("seed"))
    const again = yield* Effect.withRandom(IdempotencyKey.random, Random.make("seed"))
    assert.notStrictEqual(once, again)
  })
})
