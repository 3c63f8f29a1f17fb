/**
 * The products, the payment methods, and the questions to the buyer. Each product, payment method and field of an
 * order is one entry here: the page, the checks and the store follow.
 */
import type { PaymentIntent } from "@manilla/promises"
import type { Order } from "./orders.js"

export const name = "Cotonou Coffee"

export const currency = "XOF"

export const products = new Map([
  ["beans", { name: "Coffee beans, 1 kg", amount: "6500" }],
  ["ground", { name: "Ground coffee, 500 g", amount: "3600" }],
  ["set", { name: "Tasting set, 4 × 100 g", amount: "4200" }]
])

/** By country and payment method, as in the service's catalogue. */
export const methods = new Map([
  ["BJ mtn_momo", "MTN MoMo (Benin)"],
  ["BJ moov_money", "Moov Money (Benin)"],
  ["CI wave", "Wave (Côte d'Ivoire)"]
])

const rule = "must be one of the list"

const list = new Map([...products].map(([id, it]) => [id, `${it.name}: ${it.amount} ${currency}`]))
const product: Field = { label: "Product", choices: list, pattern: /./, rule }

/** The fields of an order about its buyer. */
export const details: Fields = {
  name: { label: "Your name", pattern: /^.{1,80}$/, rule: "must have 1 to 80 characters" }
}

/** The fields of each attempt to pay. */
export const payment: Fields = {
  method: { label: "Pay with", choices: methods, pattern: /./, rule },
  phone: {
    label: "Mobile money number",
    pattern: /^\+?[0-9 ]{8,20}$/,
    rule: "must be a phone number, such as +229 01 61 23 45 67"
  }
}

/** The fields of an order. */
export const fields: Fields = { product, ...details, ...payment }

type Choices = ReadonlyMap<string, string>

type Field = Readonly<{ label: string; pattern: RegExp; rule: string; choices?: Choices }>

export type Fields = Readonly<Record<string, Field>>

/** The buyer's answers in the form of a request. */
export const enteredFor = (request: PaymentIntent.PaymentIntentRequest) => ({
  method: `${request.country} ${request.payment_method}`,
  phone: request.payer.phone_number
})

/** The request to the payments service. It is stored, and each time sent as it was stored. */
export const requestOf = (
  { amount, currency, id }: Order,
  method: string,
  phone: string
): PaymentIntent.PaymentIntentRequest => {
  const [country = "", payment_method = ""] = method.split(" ")
  const payer = { phone_number: phone.replaceAll(" ", "") }
  const metadata = { order: id }
  return { operation: "COLLECTION", country, amount, currency, payment_method, payer, metadata }
}
