/**
 * The order of a shop: its states, and what each outcome of its payment makes of it. Pure functions, for promises and Effect
 * alike.
 */

/** `review`: a person looks at it, and nothing more is sent. */
export type State = "open" | "paid" | "not paid" | "review"

/** The text that the buyer reads. */
export const messages: Readonly<Record<State, string>> = {
  open: "Confirm the payment on your phone. Do not pay again.",
  paid: "Thank you for your payment.",
  "not paid": "The payment was not made, and will not be. You may order again.",
  review: "We are checking your payment, and will contact you. Do not pay again."
}

export interface Order {
  readonly id: string
  readonly state: State
  /** Stored before it is sent, and sent as it was stored. */
  readonly request: ReturnType<typeof requestOf>
  /** How often the request was sent, or may have been. Counted before it is sent. */
  readonly sends: number
  /** The id of the payment, once it is known. Then the payment is read, and nothing is sent. */
  readonly payment: string | null
  /** Milliseconds. */
  readonly placedAt: number
  readonly dueAt: number
}

type Change = Partial<Pick<Order, "state" | "payment">>

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The state of an order after an error of the creation. */
export const afterError = (
  { sends }: Order,
  error: { readonly _tag: string; readonly id?: string | undefined },
  outcome: "applied" | "notApplied" | "unknown"
): Change => {
  if (error._tag === "AppliedUnreadable" && uuid.test(error.id ?? ""))
    return { payment: error.id ?? null }
  if (error._tag === "KeyReused" || outcome === "applied") return { state: "review" }
  // An error of this request says nothing about an earlier one.
  return outcome === "notApplied" && sends === 1 ? { state: "not paid" } : {}
}

/** The state of an order whose payment has this status. A final status does not mean paid. */
export const afterRead = (status: string): Change =>
  status === "PENDING" ? {} : { state: status === "COMPLETED" ? "paid" : "review" }

/** Shorter than a day, for which services usually know a key: a request takes time. */
const longestMillis = 23 * 60 * 60 * 1000

/** The service may forget a key, and then a late request pays again. */
export const isLate = ({ placedAt }: Order, now: number) => now - placedAt > longestMillis

/** The order after a step. Its next one is due after a quarter of its age: from 1 second to 5 minutes. */
export const next = (order: Order, change: Change, now: number): Order => {
  const changed = { ...order, ...change }
  const state = changed.state === "open" && isLate(order, now) ? "review" : changed.state
  const pause = Math.min(Math.max((now - order.placedAt) / 4, 1000), 300_000)
  return { ...changed, state, dueAt: Math.ceil(now + pause) }
}

const rules = {
  order: [/^[\w-]{16,64}$/, "must be an id that your page makes, such as a UUID"],
  phone: [/^\+[0-9]{8,15}$/, "must be a number with its country, such as +2290161234567"],
  amount: [/^[1-9][0-9]{0,6}$/, "must be a whole number, such as 1500"]
} as const

export type Form = Readonly<Record<keyof typeof rules, string>>

/** The first field of a form that breaks its rule. */
export const wrongIn = (form: Readonly<Record<string, unknown>>) => {
  const wrong = Object.entries(rules).find(([field, [pattern]]) => {
    const text = form[field]
    return typeof text !== "string" || !pattern.test(text)
  })
  return wrong && { field: wrong[0], message: `${wrong[0]} ${wrong[1][1]}` }
}

/** The buyer names the amount, as for a gift. That of a cart comes from your database. */
export const requestOf = ({ amount, phone }: Form) => ({
  operation: "COLLECTION" as const,
  country: "BJ",
  amount,
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: phone }
})
