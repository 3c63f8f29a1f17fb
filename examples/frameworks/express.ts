import express, { type Express } from "express"
import type { Orders } from "../checkout/orders.js"
import { look, pay } from "../checkout/pay.js"

export const shop = (orders: Orders): Express => {
  const app = express()
  app.post("/orders/:id", express.json(), async (request, response) => {
    const { body, status } = await pay(orders, request.params["id"], request.body)
    response.status(status).json(body)
  })
  app.get("/orders/:id", async (request, response) => {
    const { body, status } = await look(orders, request.params.id)
    response.status(status).json(body)
  })
  return app
}
