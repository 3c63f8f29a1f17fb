/**
 * Fees and exchange rates. The interface documents none, so the sandbox defines its own.
 */
import * as Amount from "@manilla/core/Amount"
import * as money from "./amounts.js"

const collectionRate = Amount.Amount.make("0.015")
const payoutRate = Amount.Amount.make("0.01")

/** 1.5 % of a collection, deducted from it. */
export const collectionFee = (amount: Amount.Amount): Amount.Amount =>
  money.multiply(amount, collectionRate)

/** 1 % of a payout, charged on top of it. */
export const payoutFee = (amount: Amount.Amount): Amount.Amount =>
  money.multiply(amount, payoutRate)

/** The fee for a card, with the decimals of interface section 2.7. */
export const cardCreationFeeUsd = Amount.Amount.make("3.00000000")

/** The number of decimals of card amounts. */
export const cardDigits = 8

/** The price of one USD, with 12 decimals, in the currencies in which cards can be paid. */
export const exchangeRates: ReadonlyMap<string, Amount.Amount> = new Map([
  ["USD", Amount.Amount.make("1.000000000000")],
  ["EUR", Amount.Amount.make("0.922509225092")],
  ["XAF", Amount.Amount.make("605.126353790613")],
  ["XOF", Amount.Amount.make("605.126353790613")]
])
