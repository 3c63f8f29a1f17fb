import type { Promises } from "@manilla/promises"
import { Hono } from "hono"
import { pay, type Order } from "./pay.js"

/** `take` is yours: it reads an order from your database, and notes there that its payment is sent. */
export const shop = (
  manilla: Promises.Promises,
  take: (id: string) => Promise<Order | undefined>
) =>
  new Hono().post("/orders/:id/payment", async (c) => {
    const order = await take(c.req.param("id"))
    if (order === undefined) return c.json({ message: "There is no such order." }, 404)
    const { body, status } = await pay(manilla, order)
    return c.json(body, status)
  })
