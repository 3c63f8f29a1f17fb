import { IdempotencyKey } from "@manilla/core"
import * as FetchClient from "@manilla/core/FetchClient"
import { Payouts } from "@manilla/payouts"
import { Manilla } from "@manilla/token"
import { DisbursePayout, Steps } from "@manilla/workflows"
import * as Restate from "@manilla/workflows/restate"
import * as restate from "@restatedev/restate-sdk"
import * as clients from "@restatedev/restate-sdk-clients"
import { Effect, Layer, ManagedRuntime } from "effect"

const runtime = ManagedRuntime.make(
  DisbursePayout.layer.pipe(
    Layer.provideMerge(Steps.layer),
    Layer.provide(Payouts.layer),
    Layer.provide(Manilla.layerConfig()),
    Layer.provide(FetchClient.layer)
  )
)
const payouts = Restate.make(DisbursePayout.workflow, runtime)

await restate.serve({ services: [payouts.definition], port: 9080 })
// Once for each version of the workflow: Restate asks the process which workflows it has.
await fetch("http://localhost:9070/deployments", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ uri: "http://localhost:9080", force: true })
})

const ingress = clients.connect({ url: "http://localhost:8080" })
const { reference, status } = await Effect.runPromise(
  payouts.execute(ingress, {
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
