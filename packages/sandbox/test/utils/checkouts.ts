/**
 * Checkouts of one order: a correct one, and mistakes that people make. Each has a handler for the buyer and a worker
 * over a store that survives them.
 */
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import type * as Prove from "@manilla/sandbox/Prove"
import * as Transactions from "@manilla/transactions/Transactions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The row of the order. */
export interface Order {
  state: "new" | "open" | "paid" | "not paid" | "review"
  key: IdempotencyKey.IdempotencyKey | undefined
  payment: PaymentIntent.PaymentIntentId | undefined
  presses: number
  /** How often the request may have been sent. */
  sends: number
}

export class Store extends Context.Tag("test/Store")<Store, Order>() {}

const newOrder = (): Order => ({
  state: "new",
  key: undefined,
  payment: undefined,
  presses: 0,
  sends: 0
})

const collection = {
  country: "BJ",
  currency: "XOF",
  operation: "COLLECTION",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
} as const

const timeout = "10 seconds"
export const key = IdempotencyKey.derive("order", "42")

export const create = (key: IdempotencyKey.IdempotencyKey, amount = "1500") =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.create({ ...collection, amount }, { key, timeout })
  )

export const get = (id: PaymentIntent.PaymentIntentId) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.get(id, { timeout, retry: { attempts: 1 } })
  )

const idOf = (error: object) =>
  "id" in error && typeof error.id === "string" ? PaymentIntent.makeId(error.id) : undefined

/** Sends the stored request, until its outcome is known. */
const send = (order: Order, key: IdempotencyKey.IdempotencyKey) => {
  order.sends++
  return create(key).pipe(
    Effect.map(({ id }) => void (order.payment = id)),
    Effect.catchAll((error) =>
      Effect.sync(() => {
        if (error._tag === "AppliedUnreadable" && error.id !== undefined)
          order.payment = idOf(error)
        else if (error._tag === "AppliedUnreadable" || error._tag === "KeyReused") {
          order.state = "review"
        } else if (Errors.outcome(error) === "notApplied" && order.sends === 1) {
          order.state = "not paid"
          order.sends = 0
        }
      })
    )
  )
}

const settle = (order: Order, id: PaymentIntent.PaymentIntentId) =>
  get(id).pipe(
    Effect.map(({ status }) => {
      if (status === "COMPLETED") order.state = "paid"
      else if (status === "FAILED") order.state = "not paid"
      else if (status !== "PENDING") order.state = "review"
    }),
    Effect.ignore
  )

export const told = Effect.map(Store, ({ state }): Prove.Told => (state === "new" ? "open" : state))

type Clients = Payments.Payments | Transactions.Transactions

interface Parts {
  readonly handle: (order: Order) => Effect.Effect<unknown, unknown, Clients>
  readonly worker: (order: Order) => Effect.Effect<unknown, unknown, Clients>
  readonly told?: (order: Order) => Prove.Told
}

export const correct: Parts = {
  handle: (order) =>
    Effect.suspend(() => {
      // The buyer may try again only after the last attempt has ended without money.
      if (order.state !== "new" && order.state !== "not paid") return Effect.void
      if (order.payment !== undefined || order.key === undefined) {
        order.key = IdempotencyKey.derive("order", "42", String(++order.presses))
        order.payment = undefined
        order.sends = 0
      }
      order.state = "open"
      return send(order, order.key)
    }),
  worker: (order) =>
    Effect.suspend(() => {
      const { key, payment, state } = order
      if (state !== "open" || key === undefined) return Effect.void
      return payment === undefined ? send(order, key) : settle(order, payment)
    })
}

export const checkout = (parts: Partial<Parts> & Prove.Options) => {
  const { handle, told: tell, worker, ...options } = { ...correct, ...parts }
  return {
    ...options,
    store: Layer.sync(Store, newOrder),
    process: Layer.merge(Payments.layer, Transactions.layer),
    lives: { handle: Effect.flatMap(Store, handle), worker: Effect.flatMap(Store, worker) },
    script: ["handle", "worker"] as const,
    told: tell === undefined ? told : Effect.map(Store, tell)
  }
}
