/**
 * The shop in Express and its worker, as a process.
 */
import { Promises } from "@manilla/promises"
import { open } from "../checkout/orders.js"
import { work } from "../checkout/worker.js"
import { shop } from "./express.js"

const orders = await open("orders.db")
const manilla = await Promises.make()
const stop = new AbortController()
const working = work(orders, manilla, stop.signal)

const server = shop(orders).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () =>
  console.log("listening", server.address())
)

process.once("SIGTERM", async () => {
  server.close()
  stop.abort()
  await working
  await manilla.close()
})
