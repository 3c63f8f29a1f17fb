/**
 * Two ways to wait for a payment: with a limit, and in a worker. `collect` waits for a short time. A web
 * handler responds at once, and a worker waits.
 * Takes 7 seconds.
 */
import { Effect } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import { collectBriefly } from "./CollectBriefly.js"
import { follow, handle } from "./WebHandler.js"

const request = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
}

const program = Effect.gen(function* () {
  const payment = yield* collectBriefly("waiting-1", request)
  yield* Timeline.print("collect", payment.status)

  const order = { id: "waiting-2", request }
  const { body, status } = yield* handle(order)
  yield* Timeline.print("handler", `responded with ${status}`)
  yield* Timeline.print("worker", yield* follow({ ...order, payment: body.payment }))
})

Example.run("Waiting for a payment", program)
