import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@manilla/core/Amount"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"

const amount = (text: string): Amount.Amount => Amount.Amount.make(text)
const accepts = Schema.is(Amount.Input)
const decode = Schema.decodeUnknownEither(Amount.Amount)

/** Any digits, including leading zeros. */
const digits = (min: number, max: number) =>
  FastCheck.array(FastCheck.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map(
    (all) => all.join("")
  )

const longest = 40

const anyAmount = FastCheck.tuple(
  FastCheck.constantFrom("", "-"),
  digits(1, 60),
  FastCheck.option(digits(1, longest), { nil: undefined })
).map(([sign, whole, fraction]) =>
  amount(`${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}`)
)

const decimals = (text: string): number => (text.split(".")[1] ?? "").length

/** The amount in units of 10^-40, calculated without the code under test. */
const units = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".")
  const value = BigInt(whole + fraction.padEnd(longest, "0"))
  return text.startsWith("-") ? -value : value
}

describe("an amount in a request", () => {
  for (const text of ["0", "1500", "0.1", "12.50", "0.1234", "007", "9".repeat(60), "0.0000"]) {
    it(`may be ${text}`, () => assert(accepts(text)))
  }

  for (const [text, why] of [
    ["", "is empty"],
    [".", "has no digits"],
    [".5", "has no digits before the point"],
    ["1.", "has no digits after the point"],
    ["1.12345", "has 5 decimals"],
    ["-1", "has a minus sign"],
    ["+1", "has a plus sign"],
    ["1e3", "has an exponent"],
    ["1,5", "has a comma"],
    ["1 500", "has a space within"],
    [" 1", "has a space in front"],
    ["1\n", "has a line end behind"],
    ["1.2.3", "has two points"],
    ["0x10", "is hexadecimal"],
    ["NaN", "is no number"],
    ["Infinity", "is no number"],
    ["\u0661\u0662", "has digits other than 0 to 9"],
    [1500, "is a number"],
    [1500n, "is a bigint"]
  ] as const) {
    it(`is refused when it ${why}`, () => assert(!accepts(text)))
  }
})

describe("an amount in a response", () => {
  for (const text of [
    "1500.0000",
    "2.50000000",
    "0.001524390244",
    `0.${"0".repeat(39)}1`,
    `${"123456789012345678901234567890".repeat(2)}.5000`,
    "-12.3400",
    "007.10",
    "-0.00"
  ]) {
    it(`preserves ${text} exactly`, () => {
      const decoded = Either.getOrThrow(decode(text))
      assert.strictEqual(decoded, text)
      assert.strictEqual(Schema.encodeSync(Amount.Amount)(decoded), text)
      assert.strictEqual(JSON.stringify({ amount: decoded }), `{"amount":"${text}"}`)
    })
  }

  it.prop("encode(decode(x)) is x", [anyAmount], ([text]) => {
    assert.strictEqual(
      Schema.encodeSync(Amount.Amount)(Schema.decodeUnknownSync(Amount.Amount)(text)),
      text
    )
  })

  for (const input of ["", "-", "1e5", "1.5E-7", "NaN", "1.", ".1", "--1", "1 ", 1500, null, {}]) {
    it(`is not ${JSON.stringify(input)}`, () => assert(Either.isLeft(decode(input))))
  }
})

describe("arithmetic", () => {
  it.prop(
    "sum is exact, with the decimals of its longest term",
    [FastCheck.array(anyAmount)],
    ([terms]) => {
      const total = Amount.sum(terms)
      assert.strictEqual(
        units(total),
        terms.reduce((value, term) => value + units(term), 0n)
      )
      assert.strictEqual(decimals(total), Math.max(0, ...terms.map(decimals)))
    }
  )

  it.prop("subtract is exact, and may be negative", [anyAmount, anyAmount], ([a, b]) => {
    const difference = Amount.subtract(a, b)
    assert.strictEqual(units(difference), units(a) - units(b))
    assert.strictEqual(decimals(difference), Math.max(decimals(a), decimals(b)))
    assert(Schema.is(Amount.Amount)(difference))
  })

  it.prop("Order compares values", [anyAmount, anyAmount], ([a, b]) => {
    const expected = units(a) < units(b) ? -1 : units(a) > units(b) ? 1 : 0
    assert.strictEqual(Amount.Order(a, b), expected)
    assert.strictEqual(Amount.Equivalence(a, b), expected === 0)
  })

  it("the sum of no amounts is zero", () => assert.strictEqual(Amount.sum([]), "0"))

  for (const [a, b, expected] of [
    ["1.50", "1.5", 0],
    ["-0.00", "0", 0],
    ["007", "7.0000", 0],
    ["012", "12", 0],
    ["15", "95", -1],
    ["-5", "5", -1],
    ["-5", "-5.0", 0],
    ["9", "10", -1],
    ["-2", "-10", 1],
    ["0.1", "0.09999999", 1],
    ["9007199254740993", "9007199254740992", 1]
  ] as const) {
    it(`compares ${a} with ${b}`, () => {
      assert.strictEqual(Amount.Order(amount(a), amount(b)), expected)
      assert.strictEqual(Amount.Equivalence(amount(a), amount(b)), expected === 0)
    })
  }
})

describe("BigDecimal", () => {
  it.prop("a round trip preserves the value and all decimals", [anyAmount], ([a]) => {
    const back = Amount.fromBigDecimal(Amount.toBigDecimal(a))
    assert.strictEqual(units(back), units(a))
    assert.strictEqual(decimals(back), decimals(a))
  })

  for (const [value, scale, text] of [
    [1n, 16, "0.0000000000000001"],
    [-1n, 20, "-0.00000000000000000001"],
    [10n ** 21n, 0, "1000000000000000000000"],
    [5n, -3, "5000"],
    [-5n, -20, "-500000000000000000000"],
    [0n, 3, "0.000"],
    [100n, 2, "1.00"]
  ] as const) {
    it(`never writes an exponent: ${value} at scale ${scale}`, () => {
      assert.strictEqual<string>(Amount.fromBigDecimal(BigDecimal.make(value, scale)), text)
    })
  }
})

describe("toInput", () => {
  it.prop("preserves the value or fails, and never rounds", [anyAmount], ([a]) => {
    const exact = units(a) % 10n ** BigInt(longest - 4) === 0n
    Either.match(Amount.toInput(a), {
      onLeft: () => assert(!exact || a.startsWith("-"), `${a} could have been asked for`),
      onRight: (text) => {
        assert(accepts(text))
        assert.strictEqual(units(text), units(a))
      }
    })
  })

  for (const [text, asked] of [
    ["2.50000000", "2.5000"],
    ["1500.000000000000", "1500.0000"],
    ["12.5", "12.5"],
    ["7", "7"],
    ["0.00010000", "0.0001"]
  ] as const) {
    it(`converts ${text} to ${asked}`, () => {
      assert.deepStrictEqual(Amount.toInput(amount(text)), Either.right(asked))
    })
  }

  for (const text of ["0.00001", "1.23456", "2.50000001", "-1", "-0.50"]) {
    it(`refuses ${text}`, () => assert(Either.isLeft(Amount.toInput(amount(text)))))
  }
})
