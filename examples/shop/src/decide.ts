/**
 * For a person: lists the attempts whose result is not clear, or decides one. First look at the records of the
 * service: after `unpaid` the buyer can pay again. After `again` the worker reads the payment for another 23 hours. If
 * no payment is known, it sends the request again; `again` is refused when the request is older than 23 hours.
 *
 *   npm run decide -- orders-SANDBOX-127.0.0.1.db
 *   npm run decide -- orders-SANDBOX-127.0.0.1.db ORDER NUMBER paid|unpaid|again
 */
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Console, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { isTooOld, type State } from "./Attempt.js"
import * as Orders from "./Orders.js"

const [file = "", order, number, decision] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const reviews = yield* orders.reviews
  if (order === undefined) {
    for (const { key, note, number, order_id, payment_id } of reviews) {
      yield* Console.log(`${order_id} ${number}: ${note} (${key}, payment ${payment_id})`)
    }
    return yield* Console.log(`${reviews.length} to decide`)
  }
  const attempt = reviews.find((it) => it.order_id === order && String(it.number) === number)
  const states = new Map<string | undefined, State>([
    ["paid", "Paid"],
    ["unpaid", "Unpaid"],
    ["again", attempt?.payment_id ? "Pending" : "Starting"]
  ])
  const state = states.get(decision)
  if (attempt === undefined || state === undefined) {
    return yield* Effect.fail("Name an attempt of the list, and paid, unpaid or again.")
  }
  if (state === "Starting" && isTooOld(attempt, yield* Clock.currentTimeMillis)) {
    return yield* Effect.fail("After 23 hours the request could pay again: decide paid or unpaid.")
  }
  yield* orders.decide(attempt, state)
  yield* Console.log(`${order} ${number}: ${state}`)
  if (state === "Pending") yield* Console.log("It is read for another 23 hours.")
})

const orders: Layer.Layer<Orders.Orders, unknown> = existsSync(file)
  ? Orders.layer(file)
  : Layer.fail("Name the file of the orders, such as orders-SANDBOX-127.0.0.1.db.")
program.pipe(Effect.provide(orders), NodeRuntime.runMain)
