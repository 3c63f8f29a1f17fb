/**
 * What the service charges. The interface shows no price: these are the sandbox's own.
 */
import * as Amount from "@manilla/core/Amount"
import * as money from "./money.js"

const collectionRate = Amount.Amount.make("0.015")
const payoutRate = Amount.Amount.make("0.01")

/** 1.5 % of what is collected, taken out of it. */
export const collectionFee = (amount: Amount.Amount): Amount.Amount =>
  money.multiply(amount, collectionRate)

/** 1 % of what is paid out, on top of it. */
export const payoutFee = (amount: Amount.Amount): Amount.Amount =>
  money.multiply(amount, payoutRate)

/** What the creation of a card costs, with the decimals of interface section 2.7. */
export const cardCreationFeeUsd = Amount.Amount.make("3.00000000")

/** The decimals of what a card costs. */
export const cardDigits = 8

const usdIn: ReadonlyMap<string, string> = new Map([
  ["USD", "1.000000000000"],
  ["EUR", "0.922509225092"],
  ["XAF", "605.126353790613"],
  ["XOF", "605.126353790613"]
])

/** What one USD costs in a currency, with 12 decimals; `undefined` where cards are not sold. */
export const exchangeRate = (currency: string): Amount.Amount | undefined => {
  const found = usdIn.get(currency)
  return found === undefined ? undefined : Amount.Amount.make(found)
}
