/**
 * Exact calculation with amounts: never through a float.
 */
import * as Amount from "@manilla/core/Amount"
import * as BigDecimal from "effect/BigDecimal"

/** The decimals of payments, transactions, links, payouts and refunds (interface section 2.1). */
export const digits = 4

/** An amount of a request as answers show it. */
export const fixed = (amount: string, decimals: number = digits): Amount.Amount =>
  Amount.fromBigDecimal(BigDecimal.scale(Amount.toBigDecimal(Amount.Amount.make(amount)), decimals))

export const add = (self: Amount.Amount, that: Amount.Amount): Amount.Amount =>
  Amount.sum([self, that])

/** The product with this many decimals: half of the last one is rounded up. */
export const multiply = (
  self: Amount.Amount,
  that: Amount.Amount,
  decimals: number = digits
): Amount.Amount =>
  Amount.fromBigDecimal(
    BigDecimal.scale(
      BigDecimal.round(BigDecimal.multiply(Amount.toBigDecimal(self), Amount.toBigDecimal(that)), {
        scale: decimals,
        mode: "half-from-zero"
      }),
      decimals
    )
  )

export const zero = Amount.Amount.make("0")

export const isPositive = (amount: Amount.Amount): boolean => Amount.compare(amount, zero) > 0
