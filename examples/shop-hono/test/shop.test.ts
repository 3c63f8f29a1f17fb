/**
 * The shop on the sandbox with scripted faults, in one process. The sandbox tells how many payments it made.
 */
import { createClient } from "@libsql/client"
import { IdempotencyKey, Promises } from "@manilla/promises"
import { Fault, type Sandbox, SandboxClient } from "@manilla/sandbox"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, onTestFinished, test, vi } from "vitest"
import { make } from "../src/app.js"
import type { State } from "../src/attempts.js"
import * as orders from "../src/orders.js"
import * as Shop from "../src/shop.js"
import { viewOf } from "../src/view.js"
import * as worker from "../src/worker.js"

const form = {
  ...Object.fromEntries(Object.keys(Shop.details).map((name) => [name, "Ama Mensah"])),
  product: "beans",
  method: "BJ mtn_momo",
  phone: "+229 01 61 23 45 67"
}

const keyOf = (order: string, number: number) =>
  IdempotencyKey.derive("shop", order, String(number))

const operation = "Payments.create"

/** A shop with a sandbox and a store of its own. */
const open = async (options: Sandbox.Options = {}) => {
  const made = await Effect.runPromise(
    SandboxClient.make({ settleAfter: "200 millis", ...options })
  )
  const { sandbox } = made
  const { client_id, client_secret } = await Effect.runPromise(sandbox.credentials)
  const manilla = await Promises.make({
    baseUrl: sandbox.baseUrl,
    authUrl: sandbox.authUrl,
    clientId: client_id,
    clientSecret: Redacted.value(client_secret),
    fetch: SandboxClient.toFetch(made.client)
  })
  const store = await orders.open(":memory:")
  const app = make(store)

  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    app.request(path, { method: "POST", body: new URLSearchParams(fields) })

  /** Orders and pays. Returns the id of the order. */
  const order = async (changes: Readonly<Record<string, string>> = {}) => {
    const fields = { order: crypto.randomUUID(), ...form, ...changes }
    assert.strictEqual((await post("/orders", fields)).status, 303)
    return fields.order
  }

  const see = async (id: string) => viewOf((await store.find(id))?.attempts.at(-1))

  return {
    app,
    manilla,
    order,
    post,
    see,
    store,
    tryAgain: (id: string, number: number) =>
      post(`/orders/${id}/attempts`, { ...form, number: String(number) }),
    until: (id: string, state: State) =>
      vi.waitUntil(async () => (await see(id)).state === state, { timeout: 60_000, interval: 20 }),
    add: (fault: Fault.Fault) => Effect.runPromise(sandbox.faults.add(fault)),
    /** The keys of the payments that the sandbox made. */
    made: async () =>
      (await Effect.runPromise(sandbox.paymentIntents)).map((it) => String(it.idempotency_key)),
    /** Starts the worker, which works until it is stopped. */
    work: (claim = store.claim) => {
      const stopping = new AbortController()
      const working = worker.work(
        { ...store, claim },
        manilla,
        new Set(["FAILED"]),
        stopping.signal
      )
      return async () => {
        stopping.abort()
        await working
      }
    }
  }
}

test("an order is paid once, although responses get lost", async () => {
  const shop = await open()
  await shop.add(Fault.dropAfter({ operation, count: 6 }))
  const stop = shop.work()
  const id = await shop.order()
  await vi.waitUntil(async () => (await shop.see(id)).title === "We are verifying your payment", {
    timeout: 60_000
  })
  await shop.tryAgain(id, 2)
  await shop.until(id, "Paid")
  assert.deepStrictEqual(await shop.made(), [keyOf(id, 1)])
  await stop()
})

test("an order is paid once, although the process died after it had sent the request", async () => {
  const shop = await open()
  const id = await shop.order()
  const [attempt] = await shop.store.claim(1, 1000)
  if (attempt === undefined) assert.fail("there is no attempt")
  await shop.manilla.payments.create(attempt.request, { key: IdempotencyKey.make(attempt.key) })
  const stop = shop.work()
  await shop.until(id, "Paid")
  assert.deepStrictEqual(await shop.made(), [keyOf(id, 1)])
  await stop()
})

test("nothing is sent if the lease could end before the response", async () => {
  const shop = await open()
  const id = await shop.order()
  onTestFinished(() => void vi.useRealTimers())
  let turns = 0
  const stop = shop.work(async (...args) => {
    const claimed = await shop.store.claim(...args)
    // In each turn, the process is stopped for 11 of the 30 seconds of a lease. A call takes up to 20.
    vi.setSystemTime(Date.now() + 11_000)
    turns++
    return claimed
  })
  await vi.waitUntil(() => turns > 9, { timeout: 60_000 })
  await stop()
  const placed = await shop.store.find(id)
  assert.isAtLeast(placed?.attempts[0]?.sends ?? 0, 2)
  assert.deepStrictEqual(await shop.made(), [])
})

test("the buyer can try again after a refusal, under a new key", async () => {
  const shop = await open()
  const stop = shop.work()
  const id = await shop.order({ phone: "+999000000020" })
  await shop.until(id, "Unpaid")
  const text = await (await shop.app.request(`/orders/${id}`)).text()
  assert.include(text, `<option value="BJ mtn_momo" selected>`)
  assert.include(text, `value="+999000000020"`)
  await shop.tryAgain(id, 2)
  await shop.tryAgain(id, 2)
  await shop.until(id, "Paid")
  assert.deepStrictEqual(await shop.made(), [keyOf(id, 2)])
  await stop()
})

test("a person decides if the key belongs to another request", async () => {
  const shop = await open({ idempotency: { other_body: "replay" } })
  const id = crypto.randomUUID()
  const order = { id, product: "", amount: "1", currency: "XOF", details: {} }
  const other = Shop.requestOf(order, form.method, form.phone)
  await shop.manilla.payments.create(other, { key: keyOf(id, 1) })
  const stop = shop.work()
  await shop.order({ order: id })
  await shop.until(id, "Review")
  await shop.tryAgain(id, 2)
  assert.include((await shop.see(id)).text, "do not pay again")
  assert.lengthOf(await shop.made(), 1)
  await stop()
})

test("a row that somebody damaged is for a person, and does not stop the others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "shop-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "orders.db")
  const store = await orders.open(file)
  const ids = ["first", "second"]
  for (const id of ids) {
    const order = { id, product: "", amount: "1", currency: "XOF", details: {} }
    await store.attempt(id, 1, Shop.requestOf(order, form.method, form.phone))
  }
  const client = createClient({ url: `file:${file}` })
  await client.execute("UPDATE attempts SET request = '{' WHERE order_id = 'first'")
  const claimed = await store.claim(64, 30_000)
  assert.deepStrictEqual(
    claimed.map((it) => it.order_id),
    ["second"]
  )
  const { rows } = await client.execute("SELECT order_id FROM attempts WHERE state = 'Review'")
  assert.deepStrictEqual(
    rows.map((it) => it["order_id"]),
    ["first"]
  )
})

test("a list of statuses may have spaces, and an empty list has no status", () => {
  assert.deepStrictEqual([...worker.statusesOf("")], [])
  assert.deepStrictEqual([...worker.statusesOf(" FAILED, EXPIRED , ")], ["FAILED", "EXPIRED"])
})

test("the pages ask for each field, escape what they show, and name what is wrong", async () => {
  const { app, order, post } = await open()
  const page = await (await app.request("/")).text()
  for (const field of Object.keys({ ...Shop.details, ...Shop.payment })) {
    assert.include(page, `name="${field}"`)
  }
  const id = await order({ name: "<script>" })
  assert.include(await (await app.request(`/orders/${id}`)).text(), "&lt;script&gt;")
  const wrong = await post("/orders", { ...form, order: crypto.randomUUID(), phone: "nobody" })
  assert.strictEqual(wrong.status, 400)
  const again = await wrong.text()
  assert.include(again, "Mobile money number must be a phone number")
  assert.include(again, `value="nobody"`)
  assert.include(again, `<option value="beans" selected>`)
  const missing = await app.request("/orders")
  assert.strictEqual(missing.status, 404)
  assert.include(missing.headers.get("content-security-policy"), "default-src 'none'")
})

test("no cache keeps a page: its form is for one order", async () => {
  const { app, order, post } = await open()
  const cacheOf = (response: Response) => response.headers.get("cache-control")
  for (const path of ["/", `/orders/${await order()}`, "/orders"]) {
    assert.strictEqual(cacheOf(await app.request(path)), "no-store", path)
  }
  assert.strictEqual(cacheOf(await post("/orders", form)), "no-store")
  assert.isNull(cacheOf(await app.request("/style.css")))
})
