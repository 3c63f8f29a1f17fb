/**
 * The products, the payment methods, and the questions to the buyer. Each product, payment method and field of an
 * order is one entry here: the page, the checks and the store follow.
 */
import type { PaymentIntent } from "@manilla/payments"
import type { Order } from "./orders.js"

export const name = "Cotonou Coffee"

export const currency = "XOF"

export const products = new Map([
  ["beans", { name: "Coffee beans, 1 kg", amount: "6500" }],
  ["ground", { name: "Ground coffee, 500 g", amount: "3600" }],
  ["set", { name: "Tasting set, 4 × 100 g", amount: "4200" }]
])

/** The countries and methods of the service's catalogue. */
export const methods = new Map([
  ["mtn_bj", { name: "MTN MoMo (Benin)", country: "BJ", payment_method: "mtn_momo" }],
  ["moov_bj", { name: "Moov Money (Benin)", country: "BJ", payment_method: "moov_money" }],
  ["wave_ci", { name: "Wave (Côte d'Ivoire)", country: "CI", payment_method: "wave" }]
])

/** The fields of an order about its buyer. */
export const details: Fields = {
  name: { label: "Your name", pattern: /^.{1,80}$/, rule: "must have 1 to 80 characters" }
}

/** The fields of each attempt to pay, beside the method. */
export const payment: Fields = {
  phone: {
    label: "Mobile money number",
    pattern: /^\+?[0-9 ]{8,20}$/,
    rule: "must be a phone number, such as +229 01 61 23 45 67"
  }
}

type Field = Readonly<{ label: string; pattern: RegExp; rule: string }>

export type Fields = Readonly<Record<string, Field>>

type Method = NonNullable<ReturnType<typeof methods.get>>

/** The request to the payments service. It is stored, and each time sent as it was stored. */
export const requestOf = (
  { amount, currency, id }: Order,
  { country, payment_method }: Method,
  phone: string
): PaymentIntent.PaymentIntentRequest => {
  const payer = { phone_number: phone.replaceAll(" ", "") }
  const metadata = { order: id }
  return { operation: "COLLECTION", country, amount, currency, payment_method, payer, metadata }
}
