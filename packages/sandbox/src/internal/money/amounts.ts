/**
 * Exact decimal arithmetic with amounts, without floating point.
 */
import * as Amount from "@manilla/core/Amount"
import * as BigDecimal from "effect/BigDecimal"

/** The decimals of payments, transactions, links, payouts and refunds (interface section 2.1). */
export const digits = 4

/** Formats an amount of a request with a fixed number of decimals, as in responses. */
export const fixed = (amount: string, decimals: number = digits): Amount.Amount =>
  Amount.fromBigDecimal(BigDecimal.scale(Amount.toBigDecimal(Amount.Amount.make(amount)), decimals))

export const add = (self: Amount.Amount, that: Amount.Amount): Amount.Amount =>
  Amount.sum([self, that])

/** The product, rounded half away from zero to this many decimals. */
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

export const isPositive = (amount: Amount.Amount): boolean => Amount.Order(amount, zero) > 0
