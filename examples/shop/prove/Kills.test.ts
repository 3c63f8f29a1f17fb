/**
 * The shop is killed with SIGKILL at random moments, while buyers order and the network fails. In the end each
 * order is paid exactly once: none is lost, and none is stuck.
 */
import { assert, it } from "@effect/vitest"
import { Fault, type Sandbox, SandboxServer } from "@manilla/sandbox"
import { Effect, Option, Redacted, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { keyOf } from "../src/Attempt.js"
import * as Orders from "../src/Orders.js"
import * as Shop from "../src/Shop.js"
import { View } from "../src/View.js"
import { form } from "../test/utils/Buyer.js"
import * as Process from "./utils/Process.js"

/** Kills until each moment was hit, between these limits. */
const kills = { least: 12, most: 60 }
const ordersPerKill = 10

/** The moments of a kill, in the life of an order whose request was sent. */
const moments = ["before the service", "after the service", "payment known"] as const
type Moment = (typeof moments)[number]

/** Responses get lost and late, requests too, and the service fails. */
const faults: ReadonlyArray<Fault.Fault> = [
  Fault.delay("50 millis", { operation: "Token.obtain", count: "always" }),
  Fault.dropAfter({ operation: "Payments.create", probability: 0.15, count: "always", seed: 1 }),
  Fault.dropBefore({ operation: "Payments.create", probability: 0.1, count: "always", seed: 2 }),
  Fault.status(503, { operation: "Payments.create", probability: 0.1, count: "always", seed: 3 }),
  Fault.delay("60 millis", { operation: "Payments.create", count: "always" }),
  Fault.status(500, { operation: "Payments.get", probability: 0.1, count: "always", seed: 4 })
]

const environmentOf = ({ authUrl, baseUrl, credentials }: Sandbox.Service) =>
  Effect.map(credentials, ({ client_id, client_secret }) => ({
    MANILLA_BASE_URL: baseUrl,
    MANILLA_AUTH_URL: authUrl,
    MANILLA_CLIENT_ID: client_id,
    MANILLA_CLIENT_SECRET: Redacted.value(client_secret),
    MANILLA_ENVIRONMENT: "SANDBOX"
  }))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "shop-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** An order of a shop that died before it sent the request. No kill hits that moment reliably. */
const storedOnly = Effect.gen(function* () {
  const orders = yield* Orders.Orders
  const id = crypto.randomUUID()
  const order = { id, product: "beans", amount: "6500", currency: "XOF", details: {} }
  yield* orders.place(order)
  yield* orders.attempt(id, 1, Shop.requestOf(order, { method: "mtn_bj", phone: form.phone }))
  return id
})

/** A buyer sends the form until the shop confirms the order: a browser that loads again. */
const buy = async (shop: () => Process.Running | undefined, id: string) => {
  const body = new URLSearchParams({ ...form, order: id })
  for (;;) {
    const response = await fetch(`${shop()?.url}/orders`, {
      method: "POST",
      body,
      redirect: "manual"
    }).catch(() => undefined)
    if (response?.status === 303) return
    await sleep(20)
  }
}

/** Looks at the orders until each is paid. */
const untilPaid = async ({ url }: Process.Running, ids: ReadonlyArray<string>) => {
  const stateOf = async (id: string) => {
    const response = await fetch(`${url}/orders/${id}/state`)
    return Schema.decodeUnknownSync(View)(await response.json()).state
  }
  for (;;) {
    const states = await Promise.all(ids.map(stateOf))
    for (const state of states) assert.notInclude(["Unpaid", "Review"], state)
    if (states.every((state) => state === "Paid")) return
    await sleep(200)
  }
}

/** The service's own books: one payment for each order, and no other. */
const eachOnce = (sandbox: Sandbox.Service, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const payments = yield* sandbox.paymentIntents
    assert.sameMembers(
      payments.map((it) => it.idempotency_key),
      ids.map((id) => keyOf(id, 1))
    )
    assert.lengthOf(yield* sandbox.transactions, ids.length)
  })

it.live(
  "kills at any moment leave each order paid once",
  () =>
    Effect.gen(function* () {
      yield* Effect.promise(Process.bundle)
      /** How many requests the sandbox has processed. */
      let processed = 0
      const onExchange = () => Effect.sync(() => void processed++)
      const sandbox = yield* SandboxServer.make({ settleAfter: "300 millis", onExchange })
      for (const fault of faults) yield* sandbox.faults.add(fault)
      const environment = yield* environmentOf(sandbox)
      const directory = yield* folder
      const database = join(directory, "orders-SANDBOX-127.0.0.1.db")

      /** Where the shop listens; changes with each start. */
      let running: Process.Running | undefined
      const start = Effect.promise(async () => {
        running = await Process.start(directory, environment)
      })

      const look = (id: string) =>
        Effect.flatMap(Orders.Orders, ({ find }) => find(id)).pipe(
          Effect.map(Option.match({ onNone: () => [], onSome: ({ attempts }) => attempts }))
        )

      /** Where each open order was when the shop died. */
      const momentsOf = (ids: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const made = new Set((yield* sandbox.paymentIntents).map((it) => it.idempotency_key))
          const found: Array<Moment> = []
          for (const attempt of (yield* Effect.forEach(ids, look)).flat()) {
            if (attempt.state === "Pending") found.push("payment known")
            if (attempt.state !== "Starting" || attempt.sends === 0) continue
            found.push(made.has(attempt.key) ? "after the service" : "before the service")
          }
          return found
        }).pipe(Effect.provide(Orders.layer(database)))

      const ids: Array<string> = []
      const buyers: Array<Promise<void>> = []
      const hits = new Map<Moment, number>()
      let count = 0
      while (count < kills.least || (hits.size < moments.length && count < kills.most)) {
        ids.push(yield* Effect.provide(storedOnly, Orders.layer(database)))
        yield* start
        const placed = Array.from({ length: ordersPerKill }, () => crypto.randomUUID())
        ids.push(...placed)
        // They come one after the other, so that their lives differ.
        const gap = Math.random() * 20
        buyers.push(...placed.map((id, at) => sleep(at * gap).then(() => buy(() => running, id))))
        yield* Effect.promise(async () => {
          // The machine may be slow: not after a time, but after some progress.
          const enough = processed + Math.floor(Math.random() * 2 * ordersPerKill)
          while (processed < enough) await sleep(1)
          await sleep(Math.random() * 50)
          await running?.kill()
        })
        count++
        for (const moment of yield* momentsOf(ids)) {
          hits.set(moment, (hits.get(moment) ?? 0) + 1)
        }
      }
      yield* Effect.log(`${count} kills found orders at`, Object.fromEntries(hits))
      assert.sameMembers([...hits.keys()], [...moments])

      // The last one lives.
      yield* start
      yield* Effect.promise(() => Promise.all(buyers))
      yield* Effect.promise(async () => {
        if (running === undefined) return assert.fail("it does not run")
        await untilPaid(running, ids)
        await running.kill()
      })
      yield* eachOnce(sandbox, ids)
    }).pipe(Effect.scoped),
  600_000
)

it.live(
  "several processes on one file pay each order once",
  () =>
    Effect.gen(function* () {
      yield* Effect.promise(Process.bundle)
      const sandbox = yield* SandboxServer.make({ settleAfter: "300 millis" })
      for (const fault of faults) yield* sandbox.faults.add(fault)
      const environment = yield* environmentOf(sandbox)
      const directory = yield* folder
      const ids: Array<string> = []
      yield* Effect.promise(async () => {
        const shops: Array<Process.Running> = []
        // Each one starts while the others send.
        while (shops.length < 3) {
          shops.push(await Process.start(directory, environment))
          const placed = Array.from({ length: 20 }, () => crypto.randomUUID())
          ids.push(...placed)
          await Promise.all(placed.map((id, at) => buy(() => shops[at % shops.length], id)))
        }
        for (const shop of shops) await untilPaid(shop, ids)
        for (const shop of shops) await shop.kill()
      })
      yield* eachOnce(sandbox, ids)
    }).pipe(Effect.scoped),
  600_000
)
