/**
 * The first program of the guide “Is my checkout safe?”.
 */
import { it } from "@effect/vitest"
import { Payments } from "@manilla/payments"
import { Prove } from "@manilla/sandbox"
import * as Checkout from "../../checkout/effect.js"
import { requestOf } from "../../checkout/order.js"

const id = "6f1b8a52-3c1f-4a53-9a7e-6a2f54d1c0de"
const request = requestOf({ order: id, phone: "+2290161234567", amount: "1500" })

// #region prove
it.effect(
  "a buyer pays once, and is told the truth",
  () =>
    Prove.everyFault({
      // Your database, which outlives a crash, and the clients of a process.
      store: Checkout.Orders.layer(":memory:"),
      process: Payments.layer,
      // The parts that may run any number of times: a request of the buyer, a pass of the worker.
      lives: { press: Checkout.place(id, request), worker: Checkout.pass },
      script: ["press", "press", "worker"], // then repeated until nothing changes
      told: Checkout.stateOf(id)
    }),
  120_000
)
// #endregion
