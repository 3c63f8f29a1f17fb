/**
 * The products, the payment methods, and the questions to the buyer. Each product, payment method and field of
 * an order is one entry here: the page, the API, the checks and the store follow.
 */
import type { PaymentIntent } from "@manilla/payments"
import { Schema } from "effect"

export const name = "Cotonou Coffee"

export const currency = "XOF"

export const products = {
  beans: { name: "Coffee beans, 1 kg", amount: "6500" },
  ground: { name: "Ground coffee, 500 g", amount: "3600" },
  set: { name: "Tasting set, 4 × 100 g", amount: "4200" }
}

/** The countries and methods of the service's catalogue. The example `catalogue` prints it. */
export const methods = {
  mtn_bj: { name: "MTN MoMo (Benin)", country: "BJ", payment_method: "mtn_momo" },
  moov_bj: { name: "Moov Money (Benin)", country: "BJ", payment_method: "moov_money" },
  orange_ci: { name: "Orange Money (Côte d'Ivoire)", country: "CI", payment_method: "orange_money" }
}

/** Text of a form: required if `least` is 1. */
const text = (label: string, least: 0 | 1, most: number) =>
  Schema.Trim.pipe(
    Schema.minLength(least, { message: () => "must not be empty" }),
    Schema.maxLength(most, { message: () => `must have at most ${most} characters` })
  ).annotations({ title: label })

export const product = literals(products).annotations({ title: "Product" })

/** The fields of an order about its buyer. */
export const details = {
  name: text("Your name", 1, 80)
}

/** The fields of each attempt to pay. */
export const payment = {
  method: literals(methods).annotations({ title: "Pay with" }),
  phone: Schema.Trim.pipe(
    Schema.pattern(/^\+?[0-9 ]{8,20}$/, {
      message: () => "must be a phone number, such as +229 01 61 23 45 67"
    })
  ).annotations({ title: "Mobile money number" })
}

/** The request to the payments service. It is stored, and each time sent as it was stored. */
export const requestOf = (
  order: { readonly id: string; readonly amount: string; readonly currency: string },
  { method, phone }: { readonly method: keyof typeof methods; readonly phone: string }
): PaymentIntent.PaymentIntentRequest => ({
  operation: "COLLECTION",
  country: methods[method].country,
  amount: order.amount,
  currency: order.currency,
  payment_method: methods[method].payment_method,
  payer: { phone_number: phone.replaceAll(" ", "") },
  metadata: { order: order.id }
})

/** The buyer's answers in the form of a request. */
export const enteredFor = ({
  country,
  payer,
  payment_method
}: PaymentIntent.PaymentIntentRequest) => {
  const method = Object.entries(methods).find(
    ([, it]) => it.country === country && it.payment_method === payment_method
  )
  return { method: method?.[0] ?? "", phone: payer.phone_number }
}

/** The names of a record's members. */
function literals<Name extends string>(record: Readonly<Record<Name, unknown>>) {
  const isName = (name: string): name is Name => Object.hasOwn(record, name)
  return Schema.String.pipe(Schema.filter(isName, { message: () => "must be one of the list" }))
}
