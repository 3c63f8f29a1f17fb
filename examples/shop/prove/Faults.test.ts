/**
 * The shop with every fault at every request, or a death there: in the end each order is paid once, or nobody was
 * charged for it, and the buyer reads what is so.
 */
import { assert, it } from "@effect/vitest"
import { Payments } from "@manilla/payments"
import { Prove } from "@manilla/sandbox"
import { Effect, Layer } from "effect"
import * as Orders from "../src/Orders.js"
import { order, see, shop } from "../test/utils/Buyer.js"

const id = "4f0d2b6e-0b9a-4d55-9f3e-2d2a5d3f6a10"

const words = {
  Starting: "open",
  Pending: "open",
  Paid: "paid",
  Unpaid: "not paid",
  Review: "review"
} as const

it.effect(
  "every fault at every request leaves the order paid once",
  () =>
    Effect.gen(function* () {
      const proof = yield* Prove.everyFault({
        store: Orders.layer(":memory:"),
        // The worker runs in it.
        process: shop(Payments.layer, Layer.context<Orders.Orders>()),
        lives: { order: order({ order: id }) },
        script: ["order"],
        pairs: 30,
        told: Effect.map(see(id), ({ state }) => words[state])
      })
      assert.isAbove(proof.runs, 80)
    }),
  600_000
)
