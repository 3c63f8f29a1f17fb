/**
 * The sentences for the buyer about an attempt to pay. Each one is true for every way into its state, and none says
 * "failed" while money may move.
 */
import type { Attempt, State } from "./attempts.js"

export type View = Readonly<{ state: State; title: string; text: string }>

/** Without an attempt, nothing was sent: the process died between the order and its request. */
const notStarted: View = { state: "Unpaid", title: "Not paid yet", text: "No payment was started." }

export const viewOf = (attempt: Attempt | undefined): View => {
  if (attempt === undefined) return notStarted
  const { reason, request, state } = attempt
  const amount = `${request.amount} ${request.currency}`
  const views: Record<State, readonly [title: string, text: string]> = {
    Starting:
      reason === null
        ? ["Starting your payment", "This takes a few seconds."]
        : ["We are verifying your payment", "It may have started. Please do not pay again."],
    Pending: ["Confirm on your phone", `Approve the payment of ${amount}.`],
    Review: ["A person checks your payment", "Please do not pay again: we will contact you."],
    Paid: ["Paid", `We received ${amount}. Thank you for your order.`],
    Unpaid: ["Not paid", `${unpaid(reason)} You can try again.`]
  }
  const [title, text] = views[state]
  return { state, title, text }
}

const unpaid = (reason: string | null) => {
  const isRefused = reason === "UnprocessableError" || reason === "InvalidRequestError"
  if (isRefused) return "The payment service did not accept this payment, so it did not start."
  return reason?.endsWith("Error")
    ? "We could not start this payment."
    : "The payment was not completed, so you have not paid."
}
