import { assert, describe, it } from "@effect/vitest"
import * as Metadata from "@manilla/core/Metadata"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownEither(Metadata.Metadata)
const encode = Schema.encodeUnknownEither(Metadata.Input)
const accepts = Schema.is(Metadata.Input)

const nested = (levels: number): unknown => {
  let value: unknown = {}
  for (let level = 1; level < levels; level++) value = { a: value }
  return value
}

describe("metadata", () => {
  it.prop(
    "is preserved by decode and encode",
    [FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue())],
    ([value]) => {
      const json = JSON.stringify(value)
      const decoded = Either.getOrThrow(decode(JSON.parse(json)))
      assert.strictEqual(JSON.stringify(decoded), json)
      assert.strictEqual(JSON.stringify(Either.getOrThrow(encode(decoded))), json)
    }
  )

  it("keeps the order and the spelling of its keys", () => {
    const json = `{"z":1,"a":2,"Ünïcode 🧾":3,"":4,"constructor":5,"toJSON":"text"}`
    assert.strictEqual(JSON.stringify(Either.getOrThrow(decode(JSON.parse(json)))), json)
  })

  it("keeps a key named __proto__ as plain data", () => {
    const json = `{"__proto__":{"admin":true},"a":{"__proto__":null}}`
    const Resource = Schema.Struct({ metadata: Metadata.Metadata })
    const decoded = Schema.decodeUnknownSync(Resource)({ metadata: JSON.parse(json) })
    assert(Object.hasOwn(decoded.metadata, "__proto__"))
    assert.strictEqual(Object.getPrototypeOf(decoded.metadata), Object.prototype)
    assert.strictEqual(JSON.stringify(Schema.encodeSync(Resource)(decoded).metadata), json)
    assert.notProperty({}, "admin")
    assert.notProperty(decoded.metadata, "admin")
  })

  it("may have no prototype", () => {
    assert(accepts(Object.assign(Object.create(null), { a: 1 })))
  })

  for (const number of [NaN, Infinity, -Infinity, -0]) {
    it(`is refused in a request with a number that JSON changes: ${number}`, () => {
      assert(Either.isLeft(encode({ a: [1, number] })))
    })
  }

  it("may have at most 100 levels in a request", () => {
    assert(accepts(nested(100)))
    assert(!accepts(nested(102)))
  })

  for (const [what, json] of [
    ["a negative zero", `{"x":-0.0}`],
    ["a number too large for JavaScript", `{"x":1e400}`],
    ["150 levels", JSON.stringify(nested(150))],
    ["an empty array for an empty object", "[]"]
  ] as const) {
    it(`is accepted with ${what} in a response, and refused in a request`, () => {
      assert(Either.isRight(decode(JSON.parse(json))))
      assert(Either.isLeft(encode(JSON.parse(json))))
    })
  }

  it("in a response may be an empty array, which is preserved", () => {
    assert.deepStrictEqual<unknown>(Either.getOrThrow(decode([])), [])
  })

  for (const [why, json] of [
    ["an array that is not empty", `["a"]`],
    ["null", "null"],
    ["a string", `"{}"`],
    ["a number", "1"],
    ["1,002 levels deep", JSON.stringify(nested(1002))]
  ] as const) {
    it(`in a response is refused when it is ${why}`, () => {
      assert(Either.isLeft(decode(JSON.parse(json))))
    })
  }

  for (const [levels, isEqual] of [
    [1000, true],
    [1002, false],
    [100_000, false]
  ] as const) {
    it(`is ${isEqual ? "" : "not "}equal to another of ${levels} levels`, () => {
      assert.strictEqual(Metadata.Equivalence(nested(levels), nested(levels)), isEqual)
    })
  }

  for (const [a, b, isEqual] of [
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{}, { a: 1 }, false],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: ["x"] }, { a: { 0: "x" } }, false],
    [{ a: null }, { a: {} }, false]
  ]) {
    it(`${JSON.stringify(a)} is ${isEqual ? "" : "not "}equal to ${JSON.stringify(b)}`, () => {
      assert.strictEqual(Metadata.Equivalence(a, b), isEqual)
      assert.strictEqual(Metadata.Equivalence(b, a), isEqual)
    })
  }

  const itself: Record<string, unknown> = { a: 1 }
  itself["b"] = { itself }
  const around: Array<unknown> = []
  around.push(around)

  for (const [why, value] of [
    ["is an array", ["a"]],
    ["is an empty array", []],
    ["is null", null],
    ["is a string", "{}"],
    ["holds undefined", { a: undefined }],
    ["holds undefined in an array", { a: [undefined] }],
    ["holds a function", { a: () => 1 }],
    ["holds a symbol", { a: Symbol("a") }],
    ["holds a bigint", { a: { b: 1n } }],
    ["holds a date", { a: new Date(0) }],
    ["holds a map", { a: new Map() }],
    ["has a toJSON method", { toJSON: () => "something else" }],
    [
      "has a hidden toJSON method",
      Object.defineProperty({}, "toJSON", { value: () => ({ a: 1 }) })
    ],
    [
      "holds an array of a class with a toJSON method",
      {
        a: new (class extends Array<number> {
          toJSON() {
            return 1
          }
        })()
      }
    ],
    ["is an instance of a class", new (class Order {})()],
    ["contains itself", itself],
    ["contains an array that contains itself", { around }],
    ["holds an array with a hole", { a: Object.assign([], { length: 1 }) }],
    ["contains an array with an additional property", { a: Object.assign([1], { b: 2 }) }],
    ["has a key that is a symbol", { [Symbol("a")]: 1 }],
    ["is 10,000 levels deep", nested(10_000)]
  ] as const) {
    it(`in a request is refused when it ${why}`, () => {
      assert(Either.isLeft(encode(value)))
    })
  }
})
