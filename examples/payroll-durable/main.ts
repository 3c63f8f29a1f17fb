/**
 * Pays 40 employees as durable workflows on an SQLite file. Stop it with Ctrl-C or `kill -9` as often as
 * you like, and run it again: it continues, and pays everyone once. Its service is a sandbox with random
 * faults in another process, unless MANILLA_BASE_URL is set.
 */
import { DisbursePayout } from "@manilla/workflows"
import * as Engine from "@manilla/workflows/sqlite"
import { Config, Console, Data, Effect, Layer, Logger, LogLevel, Ref } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Payroll from "../payroll/Payroll.js"
import * as Reconciliation from "../payroll/Reconciliation.js"
import type { Outcome } from "../payroll/Salaries.js"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import * as Emulation from "./Emulation.js"

const month = "2026-11"

class Mismatch extends Data.TaggedError("Mismatch")<{ readonly message: string }> {}

/** Starts the payout of an employee, or continues the one of an earlier run, and waits for its end. */
const pay = (employee: Payroll.Employee, wallet_id: string) =>
  Effect.gen(function* () {
    const payouts = yield* DisbursePayout.DisbursePayout
    const businessKey = `payroll:${month}:${employee.employee}`
    yield* payouts.start(businessKey, {
      wallet_id,
      amount: employee.amount,
      currency: employee.currency,
      country: employee.country,
      payment_method: employee.payment_method,
      destination: employee.phone,
      metadata: { payroll: month, employee: employee.employee }
    })
    return yield* payouts.await(businessKey).pipe(
      Effect.match({
        onFailure: ({ message }): Outcome => ({ employee, is: "set aside", why: message }),
        onSuccess: (payout): Outcome =>
          payout.status === "COMPLETED"
            ? { employee, is: "paid", payout }
            : { employee, is: "set aside", why: `${payout.reference} is ${payout.status}` }
      })
    )
  })

const program = Effect.gen(function* () {
  const all = yield* Payroll.read(new URL("../payroll/employees.csv", import.meta.url))
  const employees = all.slice(0, 40)
  const wallet = yield* Config.string("MANILLA_WALLET_ID")
  yield* Timeline.print("payroll", `${employees.length} employees; process ${process.pid}`)
  yield* Timeline.print("", "Stop it with Ctrl-C or `kill -9`, and run it again.")

  const ended = yield* Ref.make(0)
  const progress = Effect.flatMap(
    Ref.updateAndGet(ended, (count) => count + 1),
    (count) =>
      Timeline.print(
        "ended",
        `${"█".repeat(count).padEnd(employees.length, "░")} ${count} of ${employees.length}`
      )
  )
  const outcomes = yield* Effect.forEach(
    employees,
    (employee) => Effect.tap(pay(employee, wallet), progress),
    { concurrency: "unbounded" }
  )

  const { booked, differences } = yield* Reconciliation.reconcile(month, outcomes)
  if (differences.length > 0) return yield* new Mismatch({ message: differences.join("\n") })
  yield* Console.log(
    `\n${booked.length} transactions for ${employees.length} employees: each was paid exactly once, and the requested amount.\n`
  )
  if (isEmulated) yield* Emulation.stop
})

const isEmulated = process.env["MANILLA_BASE_URL"] === undefined
if (isEmulated) Object.assign(process.env, await Effect.runPromise(Emulation.environment))
else mkdirSync(Emulation.directory, { recursive: true, mode: 0o700 })

const workflows = DisbursePayout.layer().pipe(
  Layer.provide(Engine.layerSqlite({ file: join(Emulation.directory, "payroll.db") })),
  // The engine's own steps are of no interest here.
  Layer.provide(Logger.minimumLogLevel(LogLevel.Info))
)

Example.run("Durable payroll", Effect.provide(program, workflows))
