import { DBOS } from "@dbos-inc/dbos-sdk"
import * as FetchClient from "@manilla/core/FetchClient"
import { Payouts } from "@manilla/payouts"
import { Manilla } from "@manilla/token"
import * as Postgres from "@manilla/workflow-engine/postgres"
import { BatchEngine, DisbursePayout, PayoutBatch, Steps } from "@manilla/workflows"
import * as Dbos from "@manilla/workflows/dbos"
import { Effect, Layer, ManagedRuntime, Redacted, Stream } from "effect"

const url = process.env["DATABASE_URL"] ?? ""

/** The table of items, which may be in the database of DBOS, and the executions of both workflows. */
const engine = Layer.scoped(
  BatchEngine.BatchEngine,
  Effect.map(Postgres.batches(Redacted.make(url)), (table): BatchEngine.Service => ({
    batches: table,
    startBatch: (payload) => batches.start(payload),
    findBatch: (key) => batches.find(key),
    startPayout: (payload) => payouts.start(payload),
    findPayout: (key) => payouts.find(key)
  }))
)
const runtime = ManagedRuntime.make(
  PayoutBatch.layerOn({ concurrency: 20 }).pipe(
    Layer.provide(engine),
    Layer.provide(DisbursePayout.layer),
    Layer.provideMerge(Steps.layer),
    Layer.provide(Payouts.layer),
    Layer.provide(Manilla.layerConfig()),
    Layer.provide(FetchClient.layer)
  )
)
const batches = Dbos.register(PayoutBatch.workflow, runtime)
const payouts = Dbos.register(DisbursePayout.workflow, runtime)

DBOS.setConfig({ name: "payroll", systemDatabaseUrl: url })
await DBOS.launch()

const items = Stream.map(Stream.range(1, 50), (number) => ({
  key: `E${number}`,
  request: {
    wallet_id: process.env["MANILLA_WALLET_ID"] ?? "",
    amount: "250000",
    currency: "XOF",
    country: "BJ",
    payment_method: "mtn_momo",
    destination: "+2290161234567"
  }
}))
const program = Effect.gen(function* () {
  const payroll = yield* PayoutBatch.PayoutBatch
  yield* payroll.start("payroll:2026-11", items)
  return yield* payroll.await("payroll:2026-11")
})
const { completed, total } = await runtime.runPromise(program)
console.log(`${completed} of ${total} paid`)
await DBOS.shutdown()
await runtime.dispose()
