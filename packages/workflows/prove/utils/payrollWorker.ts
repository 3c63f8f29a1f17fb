/**
 * A process that is killed: pays the payroll as one batch on SQLite. It prints `ready` when its engine runs, the
 * end of each part as `end PART JSON`, and `ended`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Payouts from "@manilla/payouts/Payouts"
import { layerSqlite } from "@manilla/workflow-engine/sqlite"
import type * as Batch from "@manilla/workflows/Batch"
import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
import * as PayoutBatch from "@manilla/workflows/PayoutBatch"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as payroll from "./payrollRows.js"
import * as workerParts from "./workerParts.js"

const settings: payroll.Settings = JSON.parse(process.env["WORKER"] ?? "{}")

const { file, notedRow, rows } = settings

const batches = PayoutBatch.layer({ concurrency: 64 }).pipe(
  Layer.provide(DisbursePayout.layer),
  Layer.provide(Payouts.layer),
  Layer.provide(workerParts.gateway(settings)),
  Layer.provide(UndiciClient.layer),
  Layer.provide(layerSqlite({ file }))
)

const end = (part: string, result: unknown) =>
  workerParts.print(`end ${part} ${JSON.stringify(result)}`)

const itemsFrom = (first: number, last: number) =>
  Stream.map(Stream.range(first, last), payroll.itemOf)

const items = itemsFrom(0, notedRow - 1).pipe(
  Stream.concat(Stream.execute(end("noted", notedRow))),
  Stream.concat(itemsFrom(notedRow, rows - 1))
)

/** The sum of the results, each of which is a payout under a key of its own. */
const sumOf = <E>(results: Stream.Stream<Batch.ItemResult, E>) => {
  const seen = new Uint8Array(rows)
  return Stream.runFoldEffect(results, payroll.noPayouts, (sum, { businessKey, end, key }) => {
    const row = payroll.rowOf(key)
    if (seen[row] !== 0) return Effect.dieMessage(`${key} is no row, or has two results`)
    seen[row] = 1
    const exit = Option.getOrUndefined(end)
    if (exit === undefined || Exit.isFailure(exit)) return Effect.dieMessage(`${key} is not paid`)
    const { amount, reference } = exit.value
    return Effect.succeed(payroll.add(sum, businessKey, reference, amount))
  })
}

const program = Effect.gen(function* () {
  yield* workerParts.print("ready")
  const service = yield* PayoutBatch.PayoutBatch
  const [storing] = yield* Effect.timed(service.start(payroll.batchKey, items))
  yield* end("stored", Duration.toSeconds(storing))
  yield* end("paid", yield* service.await(payroll.batchKey))
  yield* end("results", yield* sumOf(service.results(payroll.batchKey)))
  yield* end("memory", {
    highestRssBytes: process.resourceUsage().maxRSS * 1024,
    heapBytes: process.memoryUsage().heapUsed
  })
  yield* workerParts.print("ended")
})

program.pipe(Effect.provide(batches), NodeRuntime.runMain)
