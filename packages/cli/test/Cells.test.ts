/** The numbers in the cells of a payroll are read as they were meant, or not at all. */
import { assert, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as cells from "../src/internal/payroll/cells.js"
import { of } from "../src/internal/payroll/words.js"

const words = of("en")

const Written = Schema.Struct({
  whole: Schema.Int.pipe(Schema.between(0, 99_999_999)),
  fraction: Schema.String.pipe(Schema.pattern(/^\d{0,4}$/)),
  group: Schema.Literal("", " ", "\u{a0}", "\u{202f}", ".", ",", "'"),
  decimal: Schema.Literal(".", ",")
})

it.prop("an amount is read as it was meant, or refused", [Written], ([written]) => {
  const { decimal, fraction, group, whole } = written
  if (group === decimal) return
  const digits = String(whole).replace(/\B(?=(\d{3})+$)/g, group)
  const read = cells.amount(fraction === "" ? digits : digits + decimal + fraction, words)
  if (Either.isRight(read)) assert.strictEqual(Number(read.right), Number(`${whole}.${fraction}`))
  else assert.include(read.left, "write")
})

it.each(["1.500", "1,500"])("each way to write %s that a complaint names is read", (text) => {
  for (const language of ["en", "fr"] as const) {
    const said = Either.merge(cells.amount(text, of(language)))
    for (const way of said.replace(/^\p{L}+ /u, "").split(/ or | ou /)) {
      const number = way.replace(",", ".")
      assert.deepStrictEqual(cells.amount(way, words), Either.right(number))
    }
  }
})

it.each([
  ["1000", "1000"],
  ["1000.50", "1000.50"],
  ["1.500", "write 1500 or 1.5000"],
  ["1,500", "write 1500 or 1.5000"],
  ["1,5", "1.5"],
  // Nobody begins thousands with a zero.
  ["0.250", "0.250"],
  ["101 000,00", "101000.00"],
  ["1'101'000", "1101000"],
  ["1 101.000", "1101.000"],
  ["1.101.000", "1101000"],
  ["1,101,000.5", "1101000.5"],
  ["10 00", "write the digits 0 to 9 only, such as 101000 or 101000.50"],
  ["-5", "write more than 0, or delete the row"],
  ["1e5", "the spreadsheet has cut it: format the column as a number"],
  ["XOF 5", "write 5. The currency has a column of its own"],
  ["XOF 1.500", "write the digits 0 to 9 only, such as 101000 or 101000.50"],
  ["250000\u{b9}", "write the digits 0 to 9 only, such as 101000 or 101000.50"],
  ["\u{2460}000", "write the digits 0 to 9 only, such as 101000 or 101000.50"],
  ["\u{bd}", "write the digits 0 to 9 only, such as 101000 or 101000.50"],
  ["\u{ff11}\u{ff10}\u{ff10}", "100"],
  ["1\t000\n", "1000"]
])("the amount %s is %s", (text, said) => {
  assert.strictEqual(Either.merge(cells.amount(text, words)), said)
})

it.each([
  ["+229 01 61 23 45 67", "BJ", "+2290161234567"],
  ["00229-01.61.23.45.67", "BJ", "+2290161234567"],
  ["229 01 61 23 45 67", "bj", "2290161234567"],
  ["(+225) 07 00 00 00 01", "CI", "+2250700000001"],
  [
    "22901612345.67",
    "BJ",
    "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00"
  ],
  ["97 00 00 01", "BJ", "write +229 before it, the code of BJ"],
  ["22970001", "BJ", "write +229 before it, the code of BJ"],
  ["97000001", "FR", "97000001"],
  // In some countries, a 0 stands in the place of the code, and in others it belongs to the number.
  ["0244 12 34 56", "GH", "write +233 in place of its first 0"],
  ["0100000001", "BJ", "write +229 before it, the code of BJ"],
  ["+233 244 12 34 56", "GH", "+233244123456"],
  [
    "+233 0244 12 34 56",
    "GH",
    "0 is not dialled after the code of this country: write the number as it is dialled from abroad"
  ],
  [
    "2.29016E+12",
    "BJ",
    "the spreadsheet has cut the number. Format the column as text, and write the number again"
  ],
  [
    "2,29016E+12",
    "BJ",
    "the spreadsheet has cut the number. Format the column as text, and write the number again"
  ],
  [
    ".229 01 61 23 45 67",
    "BJ",
    "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00"
  ],
  [
    "-229 01 61 23 45 67",
    "BJ",
    "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00"
  ],
  ["+0161234567", "BJ", "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00"],
  ["1234", "BJ", "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00"],
  ["n/a", "BJ", "write 8 to 15 digits with the country code, such as +229 01 00 00 00 00"]
])("the phone number %s of %s is %s", (text, country, said) => {
  assert.strictEqual(Either.merge(cells.phone(text, country, words)), said)
})

it.each(["\n", "\r\n", "\r", "\v", "\u{2028}"])(
  "two amounts with a line break between them are not one: %j",
  (lineBreak) => {
    assert.deepStrictEqual(cells.amount(`100${lineBreak}250`, words), Either.left(words.digits))
  }
)

const countryCodes = {
  BF: "226",
  BJ: "229",
  CD: "243",
  CG: "242",
  CI: "225",
  CM: "237",
  GA: "241",
  GH: "233",
  GN: "224",
  KE: "254",
  ML: "223",
  NE: "227",
  NG: "234",
  RW: "250",
  SN: "221",
  TD: "235",
  TG: "228",
  TZ: "255",
  UG: "256"
}

// Copied by hand: with another code, a person is told to pay somebody in another country.
it.each(Object.entries(countryCodes))("a phone number of %s has the code %s", (country, code) => {
  const local = Either.left(words.withoutCode(code, country))
  assert.deepStrictEqual(cells.phone("90112233", country, words), local)
  assert.deepStrictEqual(
    cells.phone(`${code}90112233`, country, words),
    Either.right(`${code}90112233`)
  )
  const hasZero = ["CD", "GH", "KE", "NG", "RW", "TZ", "UG"].includes(country)
  assert.deepStrictEqual(
    cells.phone("0190112233", country, words),
    Either.left(hasZero ? words.forZero(code) : words.withoutCode(code, country))
  )
})
