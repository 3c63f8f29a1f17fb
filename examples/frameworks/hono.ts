import { Hono } from "hono"
import type { Orders } from "../checkout/orders.js"
import { look, pay } from "../checkout/pay.js"

export const shop = (orders: Orders) =>
  new Hono()
    .post("/orders/:id", async (c) => {
      const { body, status } = await pay(orders, c.req.param("id"), await c.req.json())
      return c.json(body, status)
    })
    .get("/orders/:id", async (c) => {
      const { body, status } = await look(orders, c.req.param("id"))
      return c.json(body, status)
    })
