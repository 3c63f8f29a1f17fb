/**
 * Pays 200 employees once each, while the network and the service fail. Then it compares, for each
 * employee, the requested amount with the payout and the transaction. The program fails if they differ.
 * Takes 27 seconds.
 */
import { Amount, Currency } from "@manilla/core"
import { Fault, type Sandbox } from "@manilla/sandbox"
import { Console, Data, Effect, Logger, LogLevel, Metric, MetricState, Random } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import * as Payroll from "./Payroll.js"
import * as Reconciliation from "./Reconciliation.js"
import * as Salaries from "./Salaries.js"

const month = "2026-11"

class Mismatch extends Data.TaggedError("Mismatch")<{ readonly message: string }> {}

/** Adds a random fault every 100 ms, 61 times. */
const injectFaults = ({ faults, revokeTokens }: Sandbox.Service) =>
  Effect.gen(function* () {
    const operation = "Payouts.create"
    const fault = yield* Random.choice([
      faults.add(Fault.dropAfter({ operation, count: 6 })),
      faults.add(Fault.dropBefore({ operation, count: 4 })),
      faults.add(Fault.status(503, { operation, count: 4, processed: true })),
      faults.add(Fault.status(429, { operation, retry_after: 1 })),
      faults.add(Fault.body("<html>", { operation, count: 2 })),
      faults.add(Fault.dropAfter({ operation: "Payouts.get", count: 5 })),
      revokeTokens
    ])
    yield* fault
    yield* Effect.sleep("100 millis")
  }).pipe(Effect.repeatN(60))

/** The retries of the whole process, from the metric that Manilla updates. */
const retries = Effect.map(Metric.snapshot, (metrics) =>
  metrics.reduce(
    (sum, { metricKey, metricState }) =>
      metricKey.name === "manilla_retries" && MetricState.isCounterState(metricState)
        ? sum + Number(metricState.count)
        : sum,
    0
  )
)

const program = Effect.gen(function* () {
  const employees = yield* Payroll.read(new URL("employees.csv", import.meta.url))
  const total = Amount.sum(employees.map(Payroll.requested))
  yield* Timeline.print("payroll", `${employees.length} employees, ${total} ${Payroll.currency}`)

  yield* Effect.fork(Example.onSandbox(injectFaults))
  const wallet = yield* Example.wallet(Payroll.currency)
  const results = yield* Salaries.payAll(employees, month, wallet).pipe(
    // A line for each retry, or for each payout that Ctrl-C interrupts, would hide the progress.
    Logger.withMinimumLogLevel(LogLevel.Error)
  )
  yield* Timeline.print("retries", String(yield* retries))
  const paid = results.flatMap((result) => (result.is === "paid" ? [result.payout.amount] : []))

  const { booked, differences } = yield* Reconciliation.reconcile(month, results)
  const line = (label: string, amounts: ReadonlyArray<Amount.Amount>) =>
    `  ${label.padEnd(13)} ${String(amounts.length).padStart(4)} payouts   ${Amount.sum(amounts)} ${Payroll.currency}`
  yield* Console.log(
    [
      "\nReconciliation\n",
      line("requested", employees.map(Payroll.requested)),
      line("paid", paid),
      line("booked", booked),
      ""
    ].join("\n")
  )
  if (differences.length > 0) return yield* new Mismatch({ message: differences.join("\n") })
  yield* Console.log("Every employee was paid exactly once, and the requested amount.\n")
})

Example.run("Payroll", program, {
  sandbox: {
    wallets: [
      {
        currency: Currency.Currency.make(Payroll.currency),
        balance: Amount.Amount.make("100000000.0000")
      }
    ]
  }
})
