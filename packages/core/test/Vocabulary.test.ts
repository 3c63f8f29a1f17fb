/**
 * The small schemas: codes, texts, identifiers, pages, sensitive values.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Identifier from "@manilla/core/Identifier"
import * as Page from "@manilla/core/Page"
import * as Sensitive from "@manilla/core/Sensitive"
import * as Text from "@manilla/core/Text"
import * as Schema from "effect/Schema"

const note = "\u{1f9fe}"
const accepted = (schema: Schema.Schema.AnyNoContext, inputs: ReadonlyArray<unknown>) =>
  inputs.filter((input) => Schema.is(schema)(input))

describe("codes", () => {
  for (const [name, input, answer, length] of [
    ["Country", Country.Input, Country.Country, 2],
    ["Currency", Currency.Input, Currency.Currency, 3]
  ] as const) {
    it(`${name}: exactly ${length} characters`, () => {
      const fitting = ["X".repeat(length), "é".repeat(length)]
      const others = ["", "X".repeat(length - 1), "X".repeat(length + 1), length, null]
      assert.deepStrictEqual(accepted(input, [...fitting, ...others]), fitting)
      assert.deepStrictEqual(accepted(answer, [...fitting, ...others]), fitting)
    })

    it(`${name}: a surrogate pair is one character`, () => {
      const fitting = note.repeat(length)
      const short = `${note}${"X".repeat(length - 2)}`
      assert.strictEqual(short.length, length)
      assert.deepStrictEqual(accepted(input, [fitting, short]), [fitting])
    })
  }
})

describe("text", () => {
  it("is counted in characters, not in UTF-16 units", () => {
    const fitting = ["", "abcde", "é".repeat(5), note.repeat(5)]
    assert.deepStrictEqual(
      accepted(Text.atMost(5), [...fitting, "abcdef", note.repeat(6), 5, null]),
      fitting
    )
  })
})

describe("identifiers", () => {
  const uuid = "0b9b8a3e-6c5f-4d1e-9b8a-3e6c5f4d1e9b"
  const Id = Identifier.uuid("Id")

  it("are UUIDs of any version in upper or lower case, and are preserved", () => {
    const fitting = [
      uuid,
      uuid.toUpperCase(),
      "018f3f6e-7c1a-7def-8000-123456789abc",
      "00000000-0000-0000-0000-000000000000"
    ]
    for (const text of fitting) assert.strictEqual(Schema.decodeUnknownSync(Id)(text), text)
  })

  for (const text of [
    "",
    uuid.replaceAll("-", ""),
    `{${uuid}}`,
    `urn:uuid:${uuid}`,
    ` ${uuid}`,
    `${uuid}\n`,
    `${uuid}/..`,
    uuid.slice(1),
    uuid.replace("0", "g")
  ]) {
    it(`are not ${JSON.stringify(text)}`, () => assert(!Schema.is(Id)(text)))
  }

  it("a reference is any non-empty string", () => {
    const Reference = Identifier.reference("Reference")
    assert.deepStrictEqual(accepted(Reference, ["PI-1", "é", " ", "", 7, null]), ["PI-1", "é", " "])
  })
})

describe("pages", () => {
  const Rows = Page.of(Schema.Struct({ id: Schema.String }))

  it("require only their rows", () => {
    assert.deepStrictEqual(Schema.decodeUnknownSync(Rows)({ data: [] }), { data: [] })
    assert.deepStrictEqual(
      Schema.decodeUnknownSync(Rows)({
        current_page: 2,
        data: [{ id: "a", new: 1 }],
        per_page: 15,
        total: 31,
        last_page: 3
      }),
      { current_page: 2, data: [{ id: "a" }], per_page: 15, total: 31 }
    )
    for (const data of [undefined, null, {}, [{}], [null]]) {
      assert(!Schema.is(Rows)({ current_page: 1, data }))
    }
  })
})

describe("sensitive values", () => {
  const Secret = Schema.String.pipe(Sensitive.mark)

  for (const [where, schema, encoded, found] of [
    ["a field", Schema.Struct({ a: Secret, b: Schema.String }), { a: "s1", b: "p" }, ["s1"]],
    ["an optional field", Schema.Struct({ a: Schema.optional(Secret) }), { a: "s1" }, ["s1"]],
    ["a missing field", Schema.Struct({ a: Schema.optional(Secret) }), {}, []],
    ["a field that may be null", Schema.Struct({ a: Schema.NullOr(Secret) }), { a: "s1" }, ["s1"]],
    ["a field that is null", Schema.Struct({ a: Schema.NullOr(Secret) }), { a: null }, []],
    [
      "a nested object",
      Schema.Struct({ a: Schema.Struct({ b: Secret }) }),
      { a: { b: "s1" } },
      ["s1"]
    ],
    [
      "a string with a limit",
      Schema.Struct({ a: Secret.pipe(Schema.maxLength(9)) }),
      { a: "s1" },
      ["s1"]
    ],
    [
      "a redacted string",
      Schema.Struct({ a: Schema.Redacted(Schema.String).pipe(Sensitive.mark) }),
      { a: "s1" },
      ["s1"]
    ],
    ["a list", Schema.Struct({ a: Schema.Array(Secret) }), { a: ["s1", "s2"] }, ["s1", "s2"]],
    [
      "a list of objects",
      Schema.Struct({ a: Schema.Array(Schema.Struct({ b: Secret })) }),
      { a: [{ b: "s1" }] },
      ["s1"]
    ],
    [
      "a record",
      Schema.Record({ key: Schema.String, value: Secret }),
      { a: "s1", b: "s2" },
      ["s1", "s2"]
    ],
    ["a later member of a union", Schema.Union(Schema.Null, Secret), "s1", ["s1"]],
    ["the rest of a list", Schema.Tuple([Schema.String], Secret), ["p", "s1"], ["s1"]],
    [
      "a number",
      Schema.Struct({ pin: Schema.Number.pipe(Sensitive.mark) }),
      { pin: 4821 },
      ["4821"]
    ]
  ] as const) {
    it(`are found in ${where}`, () => {
      assert.deepStrictEqual<ReadonlyArray<string>>(Sensitive.values(schema)(encoded), found)
    })
  }
})
