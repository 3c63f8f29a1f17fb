import type { Promises } from "@manilla/promises"
import { Hono } from "hono"
import { pay, type Order } from "./pay.js"

/** `find` is yours: it reads an order from your database. */
export const shop = (
  manilla: Promises.Promises,
  find: (id: string) => Promise<Order | undefined>
) =>
  new Hono().post("/orders/:id/payment", async (c) => {
    const order = await find(c.req.param("id"))
    if (order === undefined) return c.json({ message: "There is no such order." }, 404)
    const { body, status } = await pay(manilla, order)
    return c.json(body, status)
  })
