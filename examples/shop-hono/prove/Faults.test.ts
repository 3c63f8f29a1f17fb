/**
 * The shop with every fault at every request, or a death there: in the end each order is paid once, or nobody was
 * charged for it, and the buyer reads what is so.
 */
import { Promises } from "@manilla/promises"
import { Prove } from "@manilla/sandbox"
import { assert, test } from "vitest"
import { make } from "../src/app.js"
import * as orders from "../src/orders.js"
import { viewOf } from "../src/view.js"
import * as worker from "../src/worker.js"

const order = "4f0d2b6e-0b9a-4d55-9f3e-2d2a5d3f6a10"
const form = {
  order,
  product: "beans",
  name: "Ama",
  method: "BJ mtn_momo",
  phone: "+2290161234567"
}

const words = {
  Starting: "open",
  Pending: "open",
  Paid: "paid",
  Unpaid: "not paid",
  Review: "review"
} as const

test("every fault at every request leaves the order paid once", async () => {
  const proof = await Prove.everyFaultPromise({
    store: () => orders.open(":memory:"),
    process: async (service, store) => {
      const manilla = await Promises.make(service)
      const app = make(store)
      void worker.work(store, manilla, new Set(["FAILED"]), new AbortController().signal)
      return {
        order: async () => {
          const body = new URLSearchParams(form)
          const { status } = await app.request("/orders", { method: "POST", body })
          assert.strictEqual(status, 303)
        }
      }
    },
    script: ["order"],
    pairs: 30,
    told: async (store) => words[viewOf((await store.find(order))?.attempts.at(-1)).state]
  })
  assert.isAbove(proof.runs, 80)
}, 600_000)
