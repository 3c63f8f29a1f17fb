import type { Promises } from "@manilla/promises"
import express, { type Express } from "express"
import { pay, type Order } from "./pay.js"

/** `take` is yours: it reads an order from your database, and notes there that its payment is sent. */
export const shop = (
  manilla: Promises.Promises,
  take: (id: string) => Promise<Order | undefined>
): Express => {
  const app = express()
  app.post("/orders/:id/payment", async (request, response) => {
    const order = await take(request.params.id)
    if (order === undefined) {
      response.status(404).json({ message: "There is no such order." })
      return
    }
    const { body, status } = await pay(manilla, order)
    response.status(status).json(body)
  })
  return app
}
