/**
 * The programs of the guides, over a sandbox on loopback ports, in real time.
 */
import { HttpApiBuilder, HttpServer } from "@effect/platform"
import { IdempotencyKey } from "@manilla/core"
import * as UndiciClient from "@manilla/core/UndiciClient"
import { Payments } from "@manilla/payments"
import { Promises } from "@manilla/promises"
import * as Clients from "@manilla/service/Clients"
import { Fault, Sandbox, SandboxServer } from "@manilla/sandbox"
import { Manilla } from "@manilla/token"
import { layerMemory } from "@manilla/workflow-engine/memory"
import { Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, onTestFinished, vi } from "vitest"
import { open } from "../checkout/orders.js"
import { pass } from "../checkout/worker.js"
import * as Remedies from "../errors/Remedies.js"
import * as express from "../frameworks/express.js"
import * as hono from "../frameworks/hono.js"
import * as HttpApi from "../http-api/Shop.js"
import { collectFor, PaymentsOf } from "./Accounts.js"
import { copyAll } from "./AllTransactions.js"
import { program } from "./Collect.js"
import { followPayout } from "./FollowPayout.js"
import { keyOfTry } from "./Keys.js"
import { paySalary } from "./PaySalary.js"
import { billingName } from "./promises/billingName.js"
import { bonus } from "./promises/bonus.js"
import { copyAll as copyTransactions } from "./promises/copyTransactions.js"
import { createLink } from "./promises/createLink.js"
import * as Follow from "./promises/followPayout.js"
import { followRefund } from "./promises/followRefund.js"
import { issueCard } from "./promises/issueCard.js"
import * as Pay from "./promises/paySalary.js"
import * as Watch from "./promises/watchLink.js"
import type { Salary } from "./Salary.js"
import { watchLink } from "./WatchLink.js"
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
    MANILLA_ENVIRONMENT: "SANDBOX",
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

const entered = { phone: payer.phone_number, amount: "1500" }

/** Each framework, with the orders that it opens. */
const frameworks = {
  hono: async () => {
    const orders = await open(":memory:")
    const app = hono.shop(orders)
    return { orders, send: async (path: string, init?: RequestInit) => app.request(path, init) }
  },
  express: async () => {
    const orders = await open(":memory:")
    const server = express.shop(orders).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const send = (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${port}${path}`, init)
    return { orders, send }
  },
  httpApi: async () => {
    const layer = HttpApi.layer.pipe(
      Layer.provide(layerMemory),
      Layer.provide(
        Layer.effect(
          Payments.Payments,
          service.runtimeEffect.pipe(
            Effect.map(({ context }) => Context.get(context, Payments.Payments))
          )
        )
      ),
      Layer.merge(HttpServer.layerContext)
    )
    const { dispose, handler } = HttpApiBuilder.toWebHandler(layer)
    onTestFinished(dispose)
    const send = (path: string, init?: RequestInit) =>
      handler(new Request(`http://shop.example${path}`, init))
    return { orders: undefined, send }
  }
}

/** The buyer presses “pay”. */
const pressed = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe.each(Object.entries(frameworks))("the shop in %s", (name, start) => {
  it("makes one payment for a buyer who presses twice, and says so", async () => {
    const id = `${name}-twice-0000000`
    const { orders, send } = await start()
    assert.strictEqual((await send(`/orders/${id}`)).status, 404)
    const responses = await Promise.all([1, 2].map(() => send(`/orders/${id}`, pressed(entered))))
    for (const response of responses) {
      assert.strictEqual(response.status, 202)
      assert.deepInclude(await response.json(), { order: id, state: "open" })
    }
    await vi.waitFor(async () => {
      if (orders !== undefined) await pass(orders, manilla)
      assert.deepInclude(await (await send(`/orders/${id}`)).json(), { state: "paid" })
    }, 20_000)
    // The first form stays.
    const again = await send(`/orders/${id}`, pressed({ ...entered, amount: "2500" }))
    assert.deepInclude(await again.json(), { state: "paid" })
    assert.strictEqual(await paymentsUnder(`order:${id}`), 1)
  })

  it.each([
    ["phone", { ...entered, phone: "01 61 23" }],
    ["amount", { ...entered, amount: "15oo" }]
  ])("answers a typo in the %s with 422 and the field", async (field, form) => {
    const { send } = await start()
    const response = await send(`/orders/${name}-typo-00000000`, pressed(form))
    assert.strictEqual(response.status, 422)
    assert.deepInclude(await response.json(), { field })
    assert.strictEqual((await send(`/orders/${name}-typo-00000000`)).status, 404)
  })
})

describe("the guides", () => {
  it("collect, and read on a worker", async () => {
    assert.isTrue(await service.runPromise(program))
    const [payment] = await sandbox.runPromise(
      Effect.flatMap(Sandbox.Sandbox, ({ paymentIntents }) => paymentIntents)
    )
    const read = new Request(`http://shop.example?payment=${payment?.id}`)
    assert.deepStrictEqual(await (await worker.fetch(read, env)).json(), { status: "COMPLETED" })
  })

  it("collects with the credentials of an account", async () => {
    const payment = collectFor("COTONOU", request, { key: keyOfTry("account", 2) })
    const { status } = await Effect.runPromise(Effect.provide(payment, PaymentsOf.Default))
    assert.strictEqual(status, "COMPLETED")
    assert.strictEqual(await paymentsUnder("order:account:2"), 1)
  })

  it.each([
    [
      "Effect",
      (stored: Map<string, string>) =>
        service.runPromise(
          copyAll((reference, amount) => Effect.sync(() => stored.set(reference, amount)))
        )
    ],
    [
      "promises",
      (stored: Map<string, string>) =>
        copyTransactions(manilla, async (reference, amount) => void stored.set(reference, amount))
    ]
  ])("copies all transactions with %s", async (_, copy) => {
    const stored = new Map<string, string>()
    await copy(stored)
    assert.isAbove(stored.size, 0)
  })

  it("follows a refund", async () => {
    const { refund, transactions } = await sandbox.runPromise(Sandbox.Sandbox)
    const [transaction] = await sandbox.runPromise(transactions)
    if (transaction === undefined) assert.fail("nothing was collected")
    const requested = { transaction: transaction.reference, amount: "500" }
    const { reference } = await sandbox.runPromise(refund(requested))
    const followed = await followRefund(manilla, reference)
    assert.strictEqual(followed.ok && followed.value.status, "COMPLETED")
  })

  it("issues a card once, and reads the name of its holder", async () => {
    const { cardholders, cards: issued } = await sandbox.runPromise(Sandbox.Sandbox)
    const [holder] = await sandbox.runPromise(cardholders)
    const id = holder?.id ?? ""
    await inject(Fault.dropAfter({ operation: "Cards.issue", count: 2 }))
    for (const _ of [1, 2]) {
      const card = await issueCard(manilla, id, env["MANILLA_WALLET_ID"] ?? "", "7")
      assert.isTrue(card.ok, JSON.stringify(card))
    }
    assert.lengthOf(await sandbox.runPromise(issued), 1)
    assert.match((await billingName(manilla, id)) ?? "", /\w/)
  })

  it("finds a link whose response was lost, and watches its use", async () => {
    await inject(Fault.dropAfter({ operation: "PaymentLinks.create" }))
    const { payLink, paymentLinks } = await sandbox.runPromise(Sandbox.Sandbox)
    const made = await createLink(manilla, "42")
    assert.lengthOf(await sandbox.runPromise(paymentLinks), 1)
    if (!made.ok) assert.fail(made.error.message)
    const { id } = made.value
    const seen: Array<number | undefined> = []
    const watches = [
      Watch.watchLink(manilla, id, async ({ use_count }) => void seen.push(use_count)),
      service.runPromise(
        watchLink(id, ({ use_count }) => Effect.sync(() => void seen.push(use_count)))
      )
    ]
    await vi.waitUntil(() => seen.length === 2, { timeout: 60_000 })
    await sandbox.runPromise(payLink({ id }))
    await Promise.all(watches)
    assert.deepStrictEqual(seen, [0, 0, 1, 1])
  })
})

describe.each([
  ["Effect", (salary: Salary) => service.runPromise(paySalary(salary, Effect.void))],
  [
    "promises",
    (salary: Salary) =>
      Pay.paySalary(manilla, salary, env["MANILLA_WALLET_ID"] ?? "", async () => {})
  ]
])("a salary with %s", (name, paySalary) => {
  const now = Date.now()
  const pay = (sentMillis?: number) =>
    paySalary({
      month: "2026-11",
      employee: name,
      destination: "+2290161234567",
      amount: "250000",
      sentMillis
    })
  const made = async () => {
    const { payouts } = await sandbox.runPromise(Sandbox.Sandbox)
    const all = await sandbox.runPromise(payouts)
    return all.filter(({ idempotency_key }) => idempotency_key === `salary:2026-11:${name}`)
  }

  it("is paid once, whose outcome was unknown at first", async () => {
    await inject(Fault.status(429, { operation: "Payouts.create", count: 5 }))
    assert.strictEqual(await pay(), "open", "it is tried again later")
    await inject(Fault.dropAfter({ operation: "Payouts.create", count: 5 }))
    assert.strictEqual(await pay(), "open")
    await inject(Fault.status(422, { operation: "Payouts.create" }))
    assert.strictEqual(await pay(now), "open", "a refusal of a later request is no outcome")
    const late = await pay(now - 90_000_000)
    assert.match(late, /^look at it/, "the service may have forgotten the key")
    assert.strictEqual(await pay(now), "paid")
    assert.lengthOf(await made(), 1)
  })

  it("is followed by its reference", async () => {
    const [{ reference } = { reference: "" }] = await made()
    const followed = [
      service.runPromise(followPayout(reference)),
      Follow.followPayout(manilla, reference)
    ]
    assert.deepStrictEqual(await Promise.all(followed), ["paid", "paid"])
  })
})

it("says that the first request of a salary was refused, and pays a bonus once", async () => {
  const wallet = env["MANILLA_WALLET_ID"] ?? ""
  const salary = {
    month: "2026-11",
    employee: "refused",
    destination: "+2290161234567",
    amount: "999999999999"
  }
  const paid = Pay.paySalary(manilla, salary, wallet, async () => {})
  assert.match(await paid, /^not paid: /)
  const references = [await bonus(manilla, wallet), await bonus(manilla, wallet)]
  assert.strictEqual(new Set(references.map((one) => one.ok && one.value.reference)).size, 1)
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
