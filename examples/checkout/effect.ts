import { Errors, IdempotencyKey } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Clock, Context, Effect, Layer } from "effect"
import * as Order from "./order.js"
import { open, type Orders as Store } from "./orders.js"

export class Orders extends Context.Tag("Orders")<Orders, Store>() {
  static readonly layer = (file: string) =>
    Layer.effect(
      Orders,
      Effect.promise(() => open(file))
    )
}

/** The buyer pays. The order is stored, and the worker sends it. */
export const place = (id: string, request: Order.Order["request"]) =>
  Effect.gen(function* () {
    const orders = yield* Orders
    const now = yield* Clock.currentTimeMillis
    yield* Effect.tryPromise(() => orders.place(id, request, now))
  })

/** The state of an order, for the buyer. */
export const stateOf = (id: string) =>
  Effect.gen(function* () {
    const orders = yield* Orders
    const order = yield* Effect.tryPromise(() => orders.find(id))
    return order?.state ?? "open"
  })

const timeout = "20 seconds"

const send = (order: Order.Order) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.create(order.request, { key: IdempotencyKey.derive("order", order.id), timeout })
  ).pipe(
    Effect.tapError((error) => Effect.logWarning(error.message)),
    Effect.match({
      onFailure: (error) => Order.afterError(order, error, Errors.outcome(error)),
      onSuccess: ({ id }) => ({ payment: id })
    })
  )

const read = (payment: string) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.get(PaymentIntent.makeId(payment), { timeout })
  ).pipe(
    Effect.map(({ status }) => Order.afterRead(status)),
    // A failed read says nothing about the payment.
    Effect.orElseSucceed(() => ({}))
  )

const step = (order: Order.Order) =>
  Effect.gen(function* () {
    const orders = yield* Orders
    const isLate = Order.isLate(order, yield* Clock.currentTimeMillis)
    const change = order.payment ? yield* read(order.payment) : isLate ? {} : yield* send(order)
    const next = Order.next(order, change, yield* Clock.currentTimeMillis)
    if (next.state === "review") yield* Effect.logError("A person looks at it")
    yield* Effect.tryPromise(() => orders.settle(order, next))
  }).pipe(
    // A failure for one order must not interrupt the requests of others.
    Effect.catchAll(({ cause }) => Effect.logError("The store failed", cause)),
    Effect.annotateLogs({ order: order.id })
  )

/** One request to the service for each order that is due. */
export const pass = Effect.gen(function* () {
  const orders = yield* Orders
  const now = yield* Clock.currentTimeMillis
  const claimed = yield* Effect.tryPromise(() => orders.claim(now))
  yield* Effect.forEach(claimed, step, { concurrency: "unbounded", discard: true })
})

/** Works until it is interrupted. */
export const work = pass.pipe(
  Effect.catchAll(({ cause }) => Effect.logError("The store failed", cause)),
  Effect.andThen(Effect.sleep("1 second")),
  Effect.forever
)
