import { messages, requestOf, wrongIn, type Form } from "./order.js"
import type { Orders } from "./orders.js"

/** The buyer pays. The order is stored, and the worker sends it. */
export const pay = async (orders: Orders, id: string, entered: Omit<Form, "order">) => {
  const form = { ...entered, order: id }
  const wrong = wrongIn(form)
  if (wrong !== undefined) return { status: 422 as const, body: wrong }
  await orders.place(id, requestOf(form), Date.now())
  return look(orders, id)
}

/** The buyer's page asks again, while the order is open. */
export const look = async (orders: Orders, id: string) => {
  const order = await orders.find(id)
  if (order === undefined) return { status: 404 as const, body: { message: "No such order." } }
  const { state } = order
  const status = state === "open" ? (202 as const) : (200 as const)
  return { status, body: { order: id, state, message: messages[state] } }
}
