/**
 * The state of an attempt to pay, in words for the buyer. Each sentence is true for every way into its
 * state, and none says "failed" while money may move.
 */
import { Schema } from "effect"
import { type Attempt, State } from "./Attempt.js"

export const View = Schema.Struct({ state: State, title: Schema.String, text: Schema.String })
export interface View extends Schema.Schema.Type<typeof View> {}

/** Without an attempt, nothing was sent: the process died between the order and its request. */
export const viewOf = (attempt: Attempt | undefined): View => {
  if (attempt === undefined) {
    return {
      state: "Unpaid",
      title: "Not paid yet",
      text: "No payment was started for this order."
    }
  }
  const { reason, request, state } = attempt
  const amount = money(request.amount, request.currency)
  const phone = `the number that ends in ${request.payer.phone_number.slice(-2)}`
  const starting =
    reason === null
      ? ["Starting your payment", "This takes a few seconds."]
      : [
          "We are verifying your payment",
          "It may have started. Please do not pay again: this page will show the result."
        ]
  const [title = "", text = ""] = {
    Starting: starting,
    Pending: ["Confirm on your phone", `Approve the payment of ${amount} on ${phone}.`],
    Review: [
      "We are checking your payment",
      "Its result is not clear, so a person looks at it. Please do not pay again: we will contact you."
    ],
    Paid: ["Paid", `We received ${amount}. Thank you for your order.`],
    Unpaid: ["Not paid", `${unpaid(reason)} You can try again.`]
  }[state]
  return { state, title, text }
}

const unpaid = (reason: string | null): string => {
  switch (reason) {
    case "InvalidRequestError":
    case "UnprocessableError":
      return "The payment service did not accept this payment, so it did not start. Check the number, or pay in another way."
    case "TransportError":
    case "RateLimitError":
      return "We could not reach the payment service, so this payment did not start."
    case "TokenUnavailableError":
    case "UnauthorizedError":
    case "ForbiddenError":
    case "BadRequestError":
    case "NotFoundError":
      return "This payment did not start, because of a problem on our side. If it happens again, please contact us."
    case "Person":
      return "We checked this payment: it was not made."
    default:
      return "The payment was not completed, so you have not paid."
  }
}

/** `6,500 XOF`. Amounts are text, and never become floats. */
export const money = (amount: string, currency: string): string => {
  const [whole = "", fraction = ""] = amount.split(".")
  const digits = fraction.replace(/0+$/, "")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return `${grouped}${digits === "" ? "" : `.${digits}`} ${currency}`
}
