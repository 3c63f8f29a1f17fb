/**
 * A checkout whose orders are in a database, here in a map. The handler and the worker do the same step.
 */
import { Errors, IdempotencyKey } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Effect, Option } from "effect"

export interface Order {
  readonly id: string
  readonly state: "paid" | "not paid" | "open" | "review"
  /** Whether its request may have been sent. It is stored before. */
  readonly wasSent: boolean
  readonly payment?: PaymentIntent.PaymentIntentId | undefined
}

export class Orders extends Effect.Service<Orders>()("Orders", {
  sync: () => {
    const rows = new Map<string, Order>()
    return {
      open: Effect.sync(() => [...rows.values()].filter(({ state }) => state === "open")),
      find: (id: string) =>
        Effect.sync((): Order => rows.get(id) ?? { id, state: "open", wasSent: false }),
      put: (order: Order) => Effect.sync(() => void rows.set(order.id, order))
    }
  }
}) {}

export const read = (id: string) => Effect.flatMap(Orders, ({ find }) => find(id))

/** Sends the request of an order, the first time or again. The key is derived from the order. */
const send = (order: Order) =>
  Effect.gen(function* () {
    const orders = yield* Orders
    const payments = yield* Payments.Payments
    yield* orders.put({ ...order, wasSent: true })
    const change = yield* payments
      .create(
        {
          operation: "COLLECTION",
          country: "BJ",
          amount: "1500",
          currency: "XOF",
          payment_method: "mtn_momo",
          payer: { phone_number: "+2290161234567" }
        },
        { key: IdempotencyKey.derive("order", order.id), timeout: "10 seconds" }
      )
      .pipe(
        Effect.map(({ id }) => ({ payment: id })),
        Effect.catchAll((error) => Effect.succeed(afterError(order, error)))
      )
    yield* orders.put({ ...order, wasSent: true, ...change })
  })

const afterError = ({ wasSent }: Order, error: Errors.KeyedWriteError): Partial<Order> => {
  if (error._tag === "KeyReused") return { state: "review" }
  if (error._tag === "AppliedUnreadable") {
    return error.id === undefined
      ? { state: "review" }
      : { payment: PaymentIntent.makeId(error.id) }
  }
  // An error of this call tells nothing about an earlier one.
  return Errors.outcome(error) === "notApplied" && !wasSent ? { state: "not paid" } : {}
}

/** Reads the payment once. A read that fails tells nothing. */
const follow = (order: Order, payment: PaymentIntent.PaymentIntentId) =>
  Effect.gen(function* () {
    const payments = yield* Payments.Payments
    const found = yield* Effect.option(payments.get(payment, { timeout: "10 seconds" }))
    if (Option.isNone(found) || found.value.status === "PENDING") return
    const state = found.value.status === "COMPLETED" ? "paid" : "review"
    yield* Effect.flatMap(Orders, ({ put }) => put({ ...order, state }))
  })

const step = (order: Order) =>
  order.state !== "open"
    ? Effect.void
    : order.payment === undefined
      ? send(order)
      : follow(order, order.payment)

/** A request of the buyer. */
export const handle = (id: string) => Effect.flatMap(read(id), step)

/** A pass of the worker. */
export const settleOpenOrders = Effect.gen(function* () {
  const { open } = yield* Orders
  yield* Effect.forEach(yield* open, step)
})
