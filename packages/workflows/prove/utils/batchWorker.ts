/**
 * A process that is killed: pays the items of one batch on SQLite. It prints `made N` when N items have payouts,
 * and `summary JSON` at the end.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Payouts from "@manilla/payouts/Payouts"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Sqlite from "@manilla/workflows/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Access } from "./jobs.js"
import * as workerParts from "./workerParts.js"

interface Settings extends Access {
  readonly file: string
  readonly count: number
}

const settings: Settings = JSON.parse(process.env["WORKER"] ?? "{}")

const live = PayoutBatch.layer({ concurrency: 3 }).pipe(
  Layer.provide(DisbursePayout.layer(workerParts.policy)),
  Layer.provide(Sqlite.layerSqlite({ file: settings.file })),
  Layer.provide(Payouts.layer),
  Layer.provide(workerParts.gateway(settings))
)

const program = Effect.gen(function* () {
  const batches = yield* PayoutBatch.PayoutBatch
  yield* batches.start(
    "payroll",
    Stream.map(Stream.range(0, settings.count - 1), (i) => ({
      key: `E${i}`,
      request: {
        wallet_id: settings.wallet,
        amount: String(1000 + i),
        currency: "XOF",
        country: "BJ",
        payment_method: "mtn_momo",
        destination: "+2290161234567"
      }
    }))
  )
  yield* Stream.runForEach(batches.progress("payroll"), ({ ended, pending }) =>
    workerParts.print(`made ${ended + pending}`)
  )
  yield* workerParts.print(`summary ${JSON.stringify(yield* batches.await("payroll"))}`)
})

program.pipe(Effect.provide(live), NodeRuntime.runMain)
