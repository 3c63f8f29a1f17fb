/**
 * Monetary amounts as exact decimal strings, as the service sends them.
 *
 * @since 0.1.0
 */
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type * as equivalence from "effect/Equivalence"
import type * as order from "effect/Order"
import * as Schema from "effect/Schema"
import type * as Text from "./Text.js"

/**
 * The schema of an amount in a request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input extends Text.Text {}

/**
 * An amount in a request: digits with an optional fraction of 1 to 4 digits, no sign. The interface does not state
 * minimum and maximum amounts.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input: Input = Schema.String.pipe(
  Schema.pattern(/^[0-9]+(\.[0-9]{1,4})?$/, {
    description: `digits with at most 4 decimals, such as "1500" or "12.50"`,
    jsonSchema: { pattern: "^[0-9]+(\\.[0-9]{1,4})?$" }
  })
)

/**
 * An amount in a response: a decimal string of any length, preserved exactly. The service uses 4, 8 or
 * 12 fraction digits.
 *
 * @example
 * import * as Amount from "@manilla/core/Amount"
 *
 * const amount = Amount.Amount.make("1500.0000")
 * // "1500.0000"
 *
 * @since 0.1.0
 * @category schemas
 */
export const Amount: Schema.brand<Text.Text, "Amount"> = Schema.String.pipe(
  Schema.pattern(/^-?[0-9]+(?:\.[0-9]+)?$/, {
    description: `a plain decimal string, such as "1500.0000"`,
    jsonSchema: { pattern: "^-?[0-9]+(\\.[0-9]+)?$" }
  }),
  Schema.brand("Amount")
)

/**
 * @since 0.1.0
 * @category models
 */
export type Amount = typeof Amount.Type

/**
 * Returns stored text as an amount. Throws a `ParseError` if it is not a decimal number.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (text: string): Amount => Amount.make(text)

/**
 * Converts an amount to a `BigDecimal`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toBigDecimal = (amount: Amount): BigDecimal.BigDecimal => {
  const point = amount.indexOf(".")
  return point === -1
    ? BigDecimal.make(BigInt(amount), 0)
    : BigDecimal.make(
        BigInt(amount.slice(0, point) + amount.slice(point + 1)),
        amount.length - point - 1
      )
}

/**
 * Converts a `BigDecimal` to an amount with all digits of its scale, without exponent notation.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromBigDecimal = (decimal: BigDecimal.BigDecimal): Amount => {
  const { scale, value } = decimal.scale < 0 ? BigDecimal.scale(decimal, 0) : decimal
  const sign = value < 0n ? "-" : ""
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, "0")
  const whole = digits.slice(0, digits.length - scale)
  return Amount.make(
    scale === 0 ? sign + whole : `${sign}${whole}.${digits.slice(digits.length - scale)}`
  )
}

/**
 * Converts an amount to one that a request accepts, by removing zeros after the fourth decimal. Returns
 * `Left` if the amount is negative or has other digits there: amounts are never rounded.
 *
 * @example
 * import * as Amount from "@manilla/core/Amount"
 *
 * const fee = Amount.Amount.make("2.50000000")
 * const input = Amount.toInput(fee)
 * // Either.right("2.5000")
 *
 * @since 0.1.0
 * @category conversions
 */
export const toInput = (amount: Amount): Either.Either<string, string> => {
  const shortened = amount.replace(/(\.[0-9]{4})0+$/, "$1")
  return Schema.is(Input)(shortened)
    ? Either.right(shortened)
    : Either.left(
        `${amount} cannot be used in a request, which accepts at most 4 decimals and no sign`
      )
}

/**
 * Orders amounts by value: `"1.50"` and `"1.5"` are equal. Does not consider currencies.
 *
 * @since 0.1.0
 * @category ordering
 */
export const Order: order.Order<Amount> = (self, that) =>
  BigDecimal.Order(toBigDecimal(self), toBigDecimal(that))

/**
 * Compares two amounts for equality by value: `"1.50"` and `"1.5"` are equal.
 *
 * @since 0.1.0
 * @category ordering
 */
export const Equivalence: equivalence.Equivalence<Amount> = (self, that) =>
  self === that || canonical(self) === canonical(that)

/** The shortest form of an amount: amounts of equal value have equal forms. */
const canonical = (amount: Amount): string => {
  const isNegative = amount.startsWith("-")
  const point = amount.indexOf(".")
  let start = isNegative ? 1 : 0
  const whole = point === -1 ? amount.length : point
  while (start < whole - 1 && amount[start] === "0") start++
  let end = amount.length
  if (point !== -1) {
    while (amount[end - 1] === "0") end--
    if (end === point + 1) end = point
  }
  const digits = amount.slice(start, end)
  return isNegative && digits !== "0" ? `-${digits}` : digits
}

/**
 * Returns the exact sum, with as many decimals as the longest term. The sum of no amounts is `"0"`.
 *
 * @example
 * import * as Amount from "@manilla/core/Amount"
 *
 * Amount.sum([Amount.Amount.make("0.10"), Amount.Amount.make("0.2000")])
 * // "0.3000"
 *
 * @since 0.1.0
 * @category arithmetic
 */
export const sum = (amounts: Iterable<Amount>): Amount => {
  const terms = Array.from(amounts, toBigDecimal)
  const scale = terms.reduce((longest, term) => Math.max(longest, term.scale), 0)
  const total = terms.reduce((value, term) => value + BigDecimal.scale(term, scale).value, 0n)
  return fromBigDecimal(BigDecimal.make(total, scale))
}

/**
 * Returns `self` minus `that`, exactly, with as many decimals as the longer term. The result may be
 * negative.
 *
 * @since 0.1.0
 * @category arithmetic
 */
export const subtract = (self: Amount, that: Amount): Amount => {
  const [a, b] = [toBigDecimal(self), toBigDecimal(that)]
  const scale = Math.max(a.scale, b.scale)
  return fromBigDecimal(
    BigDecimal.make(BigDecimal.scale(a, scale).value - BigDecimal.scale(b, scale).value, scale)
  )
}
