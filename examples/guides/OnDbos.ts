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

DBOS.setConfig({ name: "payroll", systemDatabaseUrl: process.env["DATABASE_URL"] ?? "" })
await DBOS.launch()

const { reference, status } = await Effect.runPromise(
  payouts.execute({
    key: IdempotencyKey.derive("payroll", "2026-11", "E007"),
    wallet_id: process.env["MANILLA_WALLET_ID"] ?? "",
    amount: "250000",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  })
)
console.log(`${reference}: ${status}`)
await DBOS.shutdown()
