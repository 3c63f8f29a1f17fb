/**
 * The programs of the guides, over a sandbox on loopback ports, in real time.
 */
import { IdempotencyKey } from "@manilla/core"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payments } from "@manilla/payments"
import { Clients, Promises } from "@manilla/promises"
import { Fault, Sandbox, SandboxServer } from "@manilla/sandbox"
import { Manilla } from "@manilla/token"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Remedies from "../errors/Remedies.js"
import * as express from "../frameworks/express.js"
import * as hono from "../frameworks/hono.js"
import * as next from "../frameworks/next.js"
import { take } from "../frameworks/orders.js"
import * as promises from "../waiting/PromiseHandler.js"
import * as waiting from "../waiting/WebHandler.js"
import { collectFor, PaymentsOf } from "./Accounts.js"
import { copyAll } from "./AllTransactions.js"
import { program } from "./Collect.js"
import { keyOfTry } from "./Keys.js"
import { paySalary } from "./PaySalary.js"
import worker from "./Worker.js"

const sandbox = ManagedRuntime.make(SandboxServer.layer({ settleAfter: 0 }))
const service = ManagedRuntime.make(
  Clients.layer.pipe(Layer.provide(Manilla.layerConfig()), Layer.provide(UndiciClient.layer))
)
const env: Record<string, string> = {}
let manilla: Promises.Promises

beforeAll(async () => {
  const { authUrl, baseUrl, credentials, wallets } = await sandbox.runPromise(Sandbox.Sandbox)
  const { client_id, client_secret } = await sandbox.runPromise(credentials)
  Object.assign(env, {
    MANILLA_BASE_URL: baseUrl,
    MANILLA_AUTH_URL: authUrl,
    MANILLA_CLIENT_ID: client_id,
    MANILLA_CLIENT_SECRET: Redacted.value(client_secret),
    MANILLA_PAGE_PARAMETER: Sandbox.pageParameter,
    MANILLA_WALLET_ID:
      (await sandbox.runPromise(wallets)).find(({ currency }) => currency === "XOF")?.id ?? "",
    COTONOU_CLIENT_ID: client_id,
    COTONOU_CLIENT_SECRET: Redacted.value(client_secret)
  })
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  manilla = await Promises.make()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await manilla?.close()
  await service.dispose()
  await sandbox.dispose()
})

const payer = { phone_number: "+2290161234567" }
const request = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer
}

const paymentsUnder = (key: string) =>
  sandbox.runPromise(
    Effect.flatMap(Sandbox.Sandbox, ({ paymentIntents }) => paymentIntents).pipe(
      Effect.map((all) => all.filter(({ idempotency_key }) => idempotency_key === key).length)
    )
  )

/** The payment is made, and a member of the response has a wrong type. */
const unreadable = Fault.body(
  JSON.stringify({
    success: true,
    data: {
      id: "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d",
      status: 7,
      amount: "1500",
      currency: "XOF",
      operation: "COLLECTION"
    },
    meta: {}
  }),
  { operation: "Payments.create" }
)

const inject = (fault: Fault.Fault) =>
  sandbox.runPromise(Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.add(fault)))

const paths = { known: (order: string) => `/orders/${order}/payment`, unknown: "/orders/1/payment" }

const frameworks = {
  hono: async (path: string) => hono.shop(manilla, take).request(path, { method: "POST" }),
  express: async (path: string) => {
    const server = express.shop(manilla, take).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST" })
    server.close()
    return response
  },
  next: (path: string) => {
    const id = path.split("/")[2] ?? ""
    return next.POST(new Request(`http://shop.example${path}`), { params: Promise.resolve({ id }) })
  }
}

describe.each(Object.entries(frameworks))("the shop in %s", (name, send) => {
  it("starts a payment once", async () => {
    const order = `42-${name}`
    for (const response of [await send(paths.known(order)), await send(paths.known(order))]) {
      assert.strictEqual(response.status, 202)
      assert.containsAllKeys(await response.json(), ["order", "payment"])
    }
    assert.strictEqual(await paymentsUnder(`order:${order}`), 1)
    assert.strictEqual((await send(paths.unknown)).status, 404)
  })

  it("says that an unknown outcome is verified, and that a refusal started nothing", async () => {
    await inject(Fault.status(409, { operation: "Payments.create" }))
    const unknown = await send(paths.known(`42-${name}-unknown`))
    assert.strictEqual(unknown.status, 202)
    assert.match(await unknown.text(), /Do not pay again/)
    await inject(Fault.status(403, { operation: "Payments.create" }))
    const refused = await send(paths.known(`42-${name}-refused`))
    assert.strictEqual(refused.status, 503)
    assert.match(await refused.text(), /This request started no payment/)
  })
})

const handlers = {
  Effect: {
    handle: (order: waiting.Order) => service.runPromise(waiting.handle(order)),
    follow: (order: waiting.Order) => service.runPromise(waiting.follow(order))
  },
  promises: {
    handle: (order: waiting.Order) => promises.handle(manilla, order),
    follow: (order: waiting.Order) => promises.follow(manilla, order)
  }
}

describe.each(Object.entries(handlers))("the web handler with %s", (name, { follow, handle }) => {
  const order = (id: string, phone_number = payer.phone_number) => ({
    id: `${name}-${id}`,
    request: { ...request, payer: { phone_number } }
  })

  it("answers a buyer who may have been charged without an error status", async () => {
    await inject(unreadable)
    const { body, status } = await handle(order("unreadable"))
    assert.strictEqual(status, 202)
    assert.strictEqual(body.payment, "3f2c8a34-5b52-4a39-9f57-0d6f3a2b1c4d")
    await inject(Fault.dropAfter({ operation: "Payments.create" }))
    await inject(Fault.status(409, { operation: "Payments.create" }))
    assert.strictEqual((await handle(order("unknown"))).status, 202)
    assert.strictEqual(await follow(order("unknown")), "paid")
    assert.strictEqual(await paymentsUnder(`order:${name}-unknown`), 1)
  })

  it("does not say that an order with an unknown status is not paid", async () => {
    assert.match(await follow(order("status", "+999000000012")), /^look at it: /)
  })
})

describe("the guides", () => {
  it("collect, on a worker too", async () => {
    assert.isTrue(await service.runPromise(program))
    const body = JSON.stringify({ order: "42-worker", phone: payer.phone_number })
    const post = () => new Request("http://shop.example", { method: "POST", body })
    const { status } = await worker.fetch(post(), env)
    await worker.fetch(post(), env)
    assert.strictEqual(status, 202)
    assert.strictEqual(await paymentsUnder("order:42-worker"), 1)
    await inject(unreadable)
    assert.strictEqual((await worker.fetch(post(), env)).status, 202, "the payment was made")
  })

  it("collects with the credentials of an account", async () => {
    const payment = collectFor("COTONOU", request, { key: keyOfTry("account", 2) })
    const { status } = await Effect.runPromise(Effect.provide(payment, PaymentsOf.Default))
    assert.strictEqual(status, "COMPLETED")
    assert.strictEqual(await paymentsUnder("order:account:2"), 1)
  })

  it("copies all transactions", async () => {
    const stored = new Map<string, string>()
    await service.runPromise(
      copyAll((reference, amount) => Effect.sync(() => stored.set(reference, amount)))
    )
    assert.isAbove(stored.size, 0)
  })
})

it("pays a salary once, whose outcome was unknown at first", async () => {
  await inject(Fault.dropAfter({ operation: "Payouts.create", count: 5 }))
  const now = Date.now()
  const pay = (sentMillis?: number) =>
    service.runPromise(
      paySalary({ employee: "7", destination: "+2290161234567", amount: "250000", sentMillis })
    )
  assert.strictEqual(await pay(), "open")
  await inject(Fault.status(422, { operation: "Payouts.create" }))
  assert.strictEqual(await pay(now), "open", "a refusal of a later request is no outcome")
  assert.match(await pay(now - 90_000_000), /^look at it/, "the service may have forgotten the key")
  assert.strictEqual(await pay(now), "paid")
  const { payouts } = await sandbox.runPromise(Sandbox.Sandbox)
  assert.lengthOf(await sandbox.runPromise(payouts), 1)
})

describe("the remedies", () => {
  it("repeat an unknown outcome later, and make one payment", async () => {
    const later: Array<string> = []
    const attempt = Remedies.continuePayment("unknown", request, (order) =>
      Effect.sync(() => void later.push(order))
    )
    await inject(Fault.dropAfter({ operation: "Payments.create" }))
    await inject(Fault.status(409, { operation: "Payments.create" }))
    await service.runPromise(attempt)
    assert.deepStrictEqual(later, ["unknown"])
    await inject(Fault.status(422, { operation: "Payments.create" }))
    await service.runPromise(attempt)
    assert.deepStrictEqual(
      later,
      ["unknown", "unknown"],
      "a refusal is no outcome of the first one"
    )
    await service.runPromise(attempt)
    assert.lengthOf(later, 2)
    assert.strictEqual(await paymentsUnder("order:unknown"), 1)
  })

  it("wait again for a payment whose wait ended", async () => {
    await inject(Fault.status(403, { operation: "Payments.get" }))
    const key = IdempotencyKey.derive("order", "pending")
    const payment = await service.runPromise(
      Effect.flatMap(Payments.Payments, ({ collect }) => collect(request, { key })).pipe(
        Effect.catchTag("PaymentStillPending", Remedies.waitForPayment)
      )
    )
    assert.strictEqual(payment.status, "COMPLETED")
  })

  it("name the invalid fields", async () => {
    const payment = Effect.flatMap(Payments.Payments, ({ collect }) =>
      collect({ ...request, country: "Benin" }, { key: IdempotencyKey.derive("order", "wrong") })
    )
    const explained = await service.runPromise(
      payment.pipe(
        Effect.catchTag("InvalidRequestError", (error) => Effect.succeed(Remedies.explain(error)))
      )
    )
    assert.deepStrictEqual(explained, [
      'country must be a country code of exactly 2 characters, such as "BJ"'
    ])
  })
})
