/**
 * The first program of the guide “Is my checkout safe?”.
 */
import { Payments } from "@manilla/payments"
import { Prove } from "@manilla/sandbox"
import { Effect } from "effect"
import { it } from "@effect/vitest"
import * as Checkout from "../Safe.js"

// #region prove
it.effect(
  "a buyer pays once, and is told the truth",
  () =>
    Prove.everyFault({
      // Your database, which outlives a crash, and the clients of a process.
      store: Checkout.Orders.Default,
      process: Payments.layer,
      // The parts that may run any number of times: a request of the buyer, a pass of the worker.
      lives: { handle: Checkout.handle("42"), worker: Checkout.settleOpenOrders },
      script: ["handle", "worker"], // then repeated until nothing changes
      told: Effect.map(Checkout.read("42"), ({ state }) => state)
    }),
  120_000
)
// #endregion
