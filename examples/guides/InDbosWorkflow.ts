// A workflow of DBOS that pays: `docs/concepts/engines.md`. A test kills it while it pays.
import { DBOS } from "@dbos-inc/dbos-sdk"
import { IdempotencyKey } from "@manilla/core"
import * as FetchClient from "@manilla/core/FetchClient"
import { Payouts } from "@manilla/payouts"
import { Manilla } from "@manilla/token"
import { DisbursePayout, Steps } from "@manilla/workflows"
import * as Dbos from "@manilla/workflows/dbos"
import { Effect, Layer, ManagedRuntime } from "effect"

const runtime = ManagedRuntime.make(
  DisbursePayout.layer.pipe(
    Layer.provideMerge(Steps.layer),
    Layer.provide(Payouts.layer),
    Layer.provide(Manilla.layerConfig()),
    Layer.provide(FetchClient.layer)
  )
)
const payouts = Dbos.register(DisbursePayout.workflow, runtime)

const reward = DBOS.registerWorkflow(
  async (employee: string) => {
    const { status } = await Effect.runPromise(
      payouts.execute({
        key: IdempotencyKey.derive("payroll", "2026-11", employee),
        wallet_id: process.env["MANILLA_WALLET_ID"] ?? "",
        amount: "250000",
        currency: "XOF",
        country: "BJ",
        payment_method: "mtn_momo",
        destination: "+2290161234567"
      })
    )
    const told = `${employee} is told: ${status}`
    await DBOS.runStep(() => Promise.resolve(console.log(told)), { name: "tell" })
  },
  { name: "reward" }
)

DBOS.setConfig({ name: "payroll", systemDatabaseUrl: process.env["DATABASE_URL"] ?? "" })
await DBOS.launch()
const handle = await DBOS.startWorkflow(reward, { workflowID: "reward:2026-11:E007" })("E007")
await handle.getResult()
await DBOS.shutdown()
