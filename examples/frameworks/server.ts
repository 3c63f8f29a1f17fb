/**
 * The shop as a process.
 */
import { Promises } from "@manilla/promises"
import { shop } from "./express.js"
import { take } from "./orders.js"

const manilla = await Promises.make()
const server = shop(manilla, take).listen(Number(process.env["PORT"] ?? 3000), () =>
  console.log("listening", server.address())
)
process.once("SIGTERM", () => server.close(() => manilla.close()))
