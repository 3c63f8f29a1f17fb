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
import { find } from "../frameworks/orders.js"
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

const inject = (fault: Fault.Fault) =>
  sandbox.runPromise(Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.add(fault)))

const paths = { known: (order: string) => `/orders/${order}/payment`, unknown: "/orders/1/payment" }

const frameworks = {
  hono: async (path: string) => hono.shop(manilla, find).request(path, { method: "POST" }),
  express: async (path: string) => {
    const server = express.shop(manilla, find).listen(0, "127.0.0.1")
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

describe("the guides", () => {
  it("collect, on a worker too", async () => {
    assert.isTrue(await service.runPromise(program))
    const body = JSON.stringify({ order: "42-worker", phone: payer.phone_number })
    const post = () => new Request("http://shop.example", { method: "POST", body })
    const { status } = await worker.fetch(post(), env)
    await worker.fetch(post(), env)
    assert.strictEqual(status, 202)
    assert.strictEqual(await paymentsUnder("order:42-worker"), 1)
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
  const pay = () => service.runPromise(paySalary("employee-7", "+2290161234567", "250000"))
  assert.strictEqual(await pay(), "open")
  assert.strictEqual(await pay(), "paid")
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
    await service.runPromise(attempt)
    assert.deepStrictEqual(later, ["unknown"])
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
