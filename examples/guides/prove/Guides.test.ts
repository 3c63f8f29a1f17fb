/**
 * The servers of the guides, with every fault at every request.
 */
import { IdempotencyKey } from "@manilla/core"
import { PaymentIntent, Payments } from "@manilla/payments"
import { Payouts } from "@manilla/payouts"
import { Promises } from "@manilla/promises"
import { Prove, Sandbox } from "@manilla/sandbox"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { assert, expect, it, vi } from "vitest"
import * as hono from "../../frameworks/hono.js"
import * as promises from "../../waiting/PromiseHandler.js"
import * as waiting from "../../waiting/WebHandler.js"
import { program } from "../Collect.js"
import { paySalary } from "../PaySalary.js"
import worker from "../Worker.js"

const timeout = 300_000

const request = {
  country: "BJ",
  amount: "1500",
  currency: "XOF",
  payment_method: "mtn_momo",
  payer: { phone_number: "+2290161234567" }
}

/** The row of the order in the reader's database. */
interface Row {
  told: Prove.Told
  payment: string | undefined
  wasSent: boolean
}

const newRow = (): Row => ({ told: "open", payment: undefined, wasSent: false })

const toldIn = (followed: string): Prove.Told =>
  followed === "paid" ? "paid" : followed.startsWith("look at it") ? "review" : "open"

/** The worker of the reader: it follows each open order, and logs what fails. */
const work = async (manilla: Promises.Promises, row: Row) => {
  if (row.told !== "open") return
  const payment = row.payment === undefined ? undefined : PaymentIntent.makeId(row.payment)
  const followed = promises.follow(manilla, { id: "42", request, payment })
  row.told = await followed.then(toldIn, () => "open")
}

const passes = async (proof: Promise<Prove.Proof>) => {
  assert.isAbove((await proof).runs, 80)
}

it(
  "the shop in Hono",
  () =>
    passes(
      Prove.everyFaultPromise({
        store: newRow,
        process: async ({ gateway }, row) => {
          const manilla = await Promises.makeWith(gateway)
          const app = hono.shop(manilla, async (id) => {
            const { wasSent } = row
            row.wasSent = true
            return { id, amount: "1500", phone: "+2290161234567", wasSent }
          })
          return {
            press: async () => {
              const response = await app.request("/orders/42/payment", { method: "POST" })
              const { payment }: { readonly payment?: string } = await response.json()
              row.payment ??= payment
              // A buyer reads it as “not paid”.
              return response.status >= 400 ? "not paid" : "open"
            },
            worker: () => work(manilla, row)
          }
        },
        script: ["press", "worker"],
        told: ({ told }) => told
      })
    ),
  timeout
)

// #region promises
const withPromises = () =>
  Prove.everyFaultPromise({
    store: newRow,
    process: async ({ gateway }, row) => {
      const manilla = await Promises.makeWith(gateway)
      return {
        handle: async () => {
          const { body } = await promises.handle(manilla, { id: "42", request })
          row.payment ??= body.payment
        },
        worker: () => work(manilla, row)
      }
    },
    script: ["handle", "worker"],
    told: ({ told }) => told
  })
// #endregion

it("the handler and the worker with promises", () => passes(withPromises()), timeout)

class Store extends Context.Tag("Store")<Store, Row>() {}
const store = Layer.sync(Store, newRow)
const told = Effect.map(Store, (row) => row.told)

it(
  "the handler and the worker with Effect",
  () =>
    passes(
      Effect.runPromise(
        Prove.everyFault({
          store,
          process: Payments.layer,
          lives: {
            handle: Effect.flatMap(Store, (row) =>
              Effect.map(waiting.handle({ id: "42", request }), ({ body }) => {
                row.payment ??= body.payment
              })
            ),
            worker: Effect.flatMap(Store, (row) => {
              if (row.told !== "open") return Effect.void
              const payment =
                row.payment === undefined ? undefined : PaymentIntent.makeId(row.payment)
              return Effect.map(waiting.follow({ id: "42", request, payment }), (followed) => {
                row.told = toldIn(followed)
              })
            })
          },
          script: ["handle", "worker"],
          told
        })
      )
    ),
  timeout
)

it(
  "the first program",
  () =>
    passes(
      Effect.runPromise(
        Prove.everyFault({
          store,
          process: Payments.layer,
          lives: {
            collect: Effect.flatMap(Store, (row) =>
              Effect.map(program, (isPaid) => {
                row.told = isPaid ? "paid" : "review"
              })
            )
          },
          script: ["collect"],
          told
        })
      )
    ),
  timeout
)

it(
  "the worker that pays a salary",
  () =>
    passes(
      Effect.runPromise(
        Effect.gen(function* () {
          const salary = { employee: "7", destination: "+2290161234567", amount: "2500" }
          const sent = new WeakMap<Row, number>()
          return yield* Prove.everyFault({
            store,
            process: Payouts.layer,
            lives: {
              worker: Effect.gen(function* () {
                const row = yield* Store
                if (row.told !== "open") return
                const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
                const sentMillis = sent.get(row)
                sent.set(row, sentMillis ?? now)
                const { wallets } = yield* Sandbox.Sandbox
                const wallet = (yield* wallets).find(({ currency }) => currency === "XOF")
                const settings = ConfigProvider.fromMap(
                  new Map([["MANILLA_WALLET_ID", wallet?.id ?? ""]])
                )
                const paid = paySalary({ ...salary, sentMillis })
                row.told = toldIn(yield* Effect.withConfigProvider(paid, settings))
              })
            },
            script: ["worker"],
            told
          })
        })
      )
    ),
  timeout
)

it(
  "the worker of Cloudflare",
  async () => {
    const realFetch = globalThis.fetch
    try {
      await passes(
        Prove.everyFaultPromise({
          store: newRow,
          process: async ({ authUrl, baseUrl, clientId, clientSecret, fetch, gateway }, row) => {
            vi.stubGlobal("fetch", fetch)
            const manilla = await Promises.makeWith(gateway)
            const env = {
              MANILLA_BASE_URL: baseUrl,
              MANILLA_AUTH_URL: authUrl,
              MANILLA_CLIENT_ID: clientId,
              MANILLA_CLIENT_SECRET: clientSecret
            }
            return {
              fetch: async () => {
                const body = JSON.stringify({ order: "42", phone: "+2290161234567" })
                const sent = new Request("http://shop.example", { method: "POST", body })
                const { payment }: { readonly payment?: string } = await (
                  await worker.fetch(sent, env)
                ).json()
                row.payment ??= payment
              },
              worker: () => work(manilla, row)
            }
          },
          script: ["fetch", "worker"],
          told: ({ told }) => told
        })
      )
    } finally {
      vi.stubGlobal("fetch", realFetch)
    }
  },
  timeout
)

it(
  "the old handler, which answered 500 and charged, is caught",
  async () => {
    const proof = Prove.everyFaultPromise({
      store: newRow,
      process: async ({ gateway }, row) => {
        const manilla = await Promises.makeWith(gateway)
        return {
          handle: async () => {
            const created = await manilla.payments.create(
              { ...request, operation: "COLLECTION" },
              { key: IdempotencyKey.derive("order", "42") }
            )
            // An error of the call becomes an answer with 500.
            if (!created.ok) return "not paid"
            row.payment = created.value.id
            return "open"
          },
          worker: () => work(manilla, row)
        }
      },
      script: ["handle", "worker"],
      told: ({ told }) => told,
      pairs: 0
    })
    await expect(proof).rejects.toThrow(
      /told “not paid”, but the money (could still move|had moved)/
    )
  },
  timeout
)
