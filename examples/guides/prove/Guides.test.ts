/**
 * The programs of the guides, with every fault at every request.
 */
import { IdempotencyKey } from "@manilla/core"
import { Payments } from "@manilla/payments"
import { Payouts } from "@manilla/payouts"
import { Promises } from "@manilla/promises"
import { Prove, Sandbox, SandboxClient } from "@manilla/sandbox"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { assert, expect, it } from "vitest"
import { requestOf } from "../../checkout/order.js"
import { open, type Orders } from "../../checkout/orders.js"
import { pay } from "../../checkout/pay.js"
import { pass } from "../../checkout/worker.js"
import { program } from "../Collect.js"
import { paySalary } from "../PaySalary.js"
import * as Pay from "../promises/paySalary.js"

const timeout = 300_000

/** The row of the order in the reader's database. */
interface Row {
  told: Prove.Told
}

const newRow = (): Row => ({ told: "open" })

const toldIn = (followed: string): Prove.Told =>
  followed === "paid"
    ? "paid"
    : followed.startsWith("not paid")
      ? "not paid"
      : followed.startsWith("look at it")
        ? "review"
        : "open"

const passes = async (proof: Promise<Prove.Proof>) => {
  assert.isAbove((await proof).runs, 80)
}

const entered = { phone: "+2290161234567", amount: "1500" }
const id = "6f1b8a52-3c1f-4a53-9a7e-6a2f54d1c0de"

const toldOf = async ({ find }: Orders): Promise<Prove.Told> => (await find(id))?.state ?? "open"

// #region promises
const withPromises = () =>
  Prove.everyFaultPromise({
    store: () => open(":memory:"),
    process: async (service, orders) => {
      const manilla = await Promises.make(service)
      return {
        press: () => pay(orders, id, entered),
        worker: () => pass(orders, manilla)
      }
    },
    script: ["press", "press", "worker"],
    told: toldOf
  })
// #endregion

it("the order and the worker with promises", () => passes(withPromises()), timeout)

class Store extends Context.Tag("Store")<Store, Row>() {}
const store = Layer.sync(Store, newRow)
const told = Effect.map(Store, (row) => row.told)

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
          const salary = {
            month: "2026-11",
            employee: "7",
            destination: "+2290161234567",
            amount: "2500"
          }
          const sent = new WeakMap<Row, number>()
          return yield* Prove.everyFault({
            store,
            process: Payouts.layer,
            lives: {
              worker: Effect.gen(function* () {
                const row = yield* Store
                if (row.told !== "open") return
                const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
                const mark = Effect.sync(() => void sent.set(row, now))
                const { wallets } = yield* Sandbox.Sandbox
                const wallet = (yield* wallets).find(({ currency }) => currency === "XOF")
                const settings = ConfigProvider.fromMap(
                  new Map([["MANILLA_WALLET_ID", wallet?.id ?? ""]])
                )
                const paid = paySalary({ ...salary, sentMillis: sent.get(row) }, mark)
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
  "the worker that pays a salary with promises",
  async () => {
    // The same seed gives the same wallet.
    const options = { seed: 1 }
    const { sandbox } = await Effect.runPromise(SandboxClient.make(options))
    const [wallet] = await Effect.runPromise(sandbox.wallets)
    const salary = {
      month: "2026-11",
      employee: "7",
      destination: "+2290161234567",
      amount: "2500"
    }
    await passes(
      Prove.everyFaultPromise({
        sandbox: options,
        store: (): Row & { sentMillis?: number } => newRow(),
        process: async (service, row) => {
          const manilla = await Promises.make(service)
          return {
            worker: async () => {
              if (row.told !== "open") return
              const { sentMillis } = row
              const paid = await Pay.paySalary(
                manilla,
                { ...salary, sentMillis },
                wallet?.id ?? "",
                async () => void (row.sentMillis = Date.now())
              )
              row.told = toldIn(paid)
            }
          }
        },
        script: ["worker"],
        told: ({ told }) => told
      })
    )
  },
  timeout
)

it(
  "the old handler, which answered 500 and charged, is caught",
  async () => {
    const proof = Prove.everyFaultPromise({
      store: () => open(":memory:"),
      process: async (service, orders) => {
        const manilla = await Promises.make(service)
        return {
          handle: async () => {
            await pay(orders, id, entered)
            const key = IdempotencyKey.derive("order", id)
            const request = requestOf({ ...entered, order: id })
            const created = await manilla.payments.create(request, { key })
            // An error of the call becomes a response with 500.
            return created.ok ? "open" : "not paid"
          },
          worker: () => pass(orders, manilla)
        }
      },
      script: ["handle", "worker"],
      told: toldOf,
      pairs: 0
    })
    await expect(proof).rejects.toThrow(
      /told “not paid”, but the money (could still move|had moved)/
    )
  },
  timeout
)
