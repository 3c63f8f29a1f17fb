import { Errors, IdempotencyKey, PaymentIntent, type Promises } from "@manilla/promises"
import { setTimeout as sleep } from "node:timers/promises"
import * as Order from "./order.js"
import type { Orders } from "./orders.js"

const timeout = "20 seconds"

/** One request to the service for each order that is due. */
export const pass = async (orders: Orders, { payments }: Promises.Promises) => {
  const send = async (order: Order.Order) => {
    const key = IdempotencyKey.derive("order", order.id)
    const created = await payments.create(order.request, { key, timeout })
    if (created.ok) return { payment: created.value.id }
    console.warn(order.id, created.error.message)
    return Order.afterError(order, created.error, Errors.outcome(created.error))
  }

  const read = async (payment: string) => {
    const found = await payments.get(PaymentIntent.makeId(payment), { timeout })
    // A failed read says nothing about the payment.
    return found.ok ? Order.afterRead(found.value.status) : {}
  }

  const step = async (order: Order.Order) => {
    const isLate = Order.isLate(order, Date.now())
    const change = order.payment ? await read(order.payment) : isLate ? {} : await send(order)
    const next = Order.next(order, change, Date.now())
    if (next.state === "review") console.error(order.id, "A person looks at it")
    await orders.settle(order, next)
  }

  await Promise.all((await orders.claim(Date.now())).map(step))
}

/** Works until the signal is aborted. Then the requests that are under way end. */
export const work = async (orders: Orders, manilla: Promises.Promises, signal: AbortSignal) => {
  while (!signal.aborted) {
    await pass(orders, manilla).catch(console.error)
    await sleep(1000)
  }
}
