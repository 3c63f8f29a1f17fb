import express from "express"
import { find, pay, work } from "./checkout.js"

const app = express()

app.post("/orders/:id/payment", async (request, response) => {
  response.status(202).json(await pay(request.params.id))
})

app.get("/orders/:id", (request, response) => {
  const order = find(request.params.id)
  response.status(order === undefined ? 404 : 200).json(order ?? { message: "No such order." })
})

app.listen(Number(process.env["PORT"]), "127.0.0.1")
void work()
