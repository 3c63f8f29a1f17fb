/**
 * Pays 40 employees as one durable batch on an SQLite file. Stop it with Ctrl-C or `kill -9` as often as
 * you like, and run it again: it continues, and pays everyone once. Its service is a sandbox with random
 * faults in another process, unless MANILLA_BASE_URL is set.
 * Takes 18 seconds.
 */
import * as Engine from "@manilla/workflow-engine/sqlite"
import { type Batch, DisbursePayout, PayoutBatch } from "@manilla/workflows"
import {
  Cause,
  Chunk,
  Config,
  Console,
  Data,
  Effect,
  Exit,
  Layer,
  Logger,
  LogLevel,
  Option,
  Stream
} from "effect"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Payroll from "../payroll/Payroll.js"
import * as Reconciliation from "../payroll/Reconciliation.js"
import type { Result } from "../payroll/Salaries.js"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import * as Emulation from "./Emulation.js"

const month = "2026-11"

class Mismatch extends Data.TaggedError("Mismatch")<{ readonly message: string }> {}

const resultOf = (employee: Payroll.Employee, { end, state }: Batch.ItemResult): Result => {
  const setAside = (why: string): Result => ({ employee, is: "set aside", why })
  if (Option.isNone(end)) return setAside(state)
  return Exit.match(end.value, {
    onFailure: (cause) => setAside(Cause.pretty(cause)),
    onSuccess: (payout) =>
      payout.status === "COMPLETED"
        ? { employee, is: "paid", payout }
        : setAside(`${payout.reference} is ${payout.status}`)
  })
}

const program = Effect.gen(function* () {
  const all = yield* Payroll.read(new URL("../payroll/employees.csv", import.meta.url))
  const employees = all.slice(0, 40)
  const wallet = yield* Config.string("MANILLA_WALLET_ID")
  const begun = isContinued ? "continued from" : "begun in"
  yield* Timeline.print("payroll", `${employees.length} employees, ${begun} ${database}`)
  if (isEmulated) {
    yield* Timeline.print("", "The service is a sandbox in its own process, with random faults.")
  }
  yield* Timeline.print(
    "",
    `Stop this process with Ctrl-C or \`kill -9 ${process.pid}\`. The same command continues the payroll.`
  )

  const batches = yield* PayoutBatch.PayoutBatch
  const batch = `payroll:${month}`
  yield* batches.start(
    batch,
    Stream.map(Stream.fromIterable(employees), (employee) => ({
      key: employee.employee,
      request: Payroll.payout(employee, month, wallet)
    }))
  )
  yield* batches.progress(batch).pipe(
    Stream.changesWith((a, b) => a.ended === b.ended && a.pending === b.pending),
    Stream.runForEach(({ ended, pending, total }) => {
      const bar = "█".repeat(ended) + "▒".repeat(pending)
      const counts = `${ended} of ${total}${pending === 0 ? "" : `, ${pending} pending`}`
      return Timeline.print("finished", `${bar.padEnd(total, "░")} ${counts}`)
    })
  )
  const results = new Map(
    Chunk.toReadonlyArray(yield* Stream.runCollect(batches.results(batch))).map((result) => [
      result.key,
      result
    ])
  )
  const salaries = employees.flatMap((employee) => {
    const result = results.get(employee.employee)
    return result === undefined ? [] : [resultOf(employee, result)]
  })

  const { booked, differences } = yield* Reconciliation.reconcile(month, salaries)
  if (differences.length > 0) return yield* new Mismatch({ message: differences.join("\n") })
  yield* Console.log(
    `\n${booked.length} transactions at the service for ${employees.length} employees: each was paid exactly once, and the requested amount.`
  )
  if (!isEmulated) return
  yield* Emulation.stop
  yield* Console.log(
    "The sandbox and its database are removed: the next run begins a new payroll.\n"
  )
}).pipe(
  Effect.onInterrupt(() => {
    const sandbox = isEmulated ? " The sandbox runs on for at most 15 minutes." : ""
    return Console.log(`\nInterrupted. The same command continues the payroll.${sandbox}`)
  })
)

const isEmulated = process.env["MANILLA_BASE_URL"] === undefined
if (isEmulated) Object.assign(process.env, await Effect.runPromise(Emulation.environment))
else mkdirSync(Emulation.directory, { recursive: true, mode: 0o700 })

const database = join(Emulation.directory, "payroll.db")
const isContinued = existsSync(database)

const workflows = PayoutBatch.layer().pipe(
  Layer.provide(DisbursePayout.layer),
  Layer.provide(Engine.layerSqlite({ file: database })),
  // The engine's own steps are of no interest here.
  Layer.provide(Logger.minimumLogLevel(LogLevel.Info))
)

Example.run("Durable payroll", Effect.provide(program, workflows))
