/**
 * Pays 200 employees of a CSV file, each exactly once, while the network and the service fail; then
 * holds what was asked against what was paid and what the transactions say, to the last unit.
 */
import { Amount, Currency, IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Fault, type Sandbox } from "@manilla/sandbox"
import { Transactions } from "@manilla/transactions"
import { Chunk, Console, Effect, Either, Random, Ref, Stream } from "effect"
import * as Example from "../support/Example.js"
import * as Timeline from "../support/Timeline.js"
import * as Payroll from "./Payroll.js"

const month = "2026-11"

/** The key is made of what the payment is for: run this again, and nobody is paid twice. */
const pay = (employee: Payroll.Employee, wallet_id: string) =>
  Effect.flatMap(Payouts.Payouts, (payouts) =>
    payouts.disburse(
      {
        wallet_id,
        amount: employee.amount,
        currency: employee.currency,
        country: employee.country,
        payment_method: employee.payment_method,
        destination: employee.phone,
        metadata: { month, employee: employee.employee }
      },
      { key: IdempotencyKey.derive("salary", month, employee.employee) }
    )
  )

/** Pays everyone at most five times over: what is open after a round is tried in the next. */
const payAll = (employees: ReadonlyArray<Payroll.Employee>, wallet_id: string) =>
  Effect.gen(function* () {
    const paid = yield* Ref.make<ReadonlyArray<Amount.Amount>>([])
    let open = employees
    for (let round = 1; round <= 5 && open.length > 0; round++) {
      const results = yield* Effect.forEach(
        open,
        (employee) =>
          pay(employee, wallet_id).pipe(
            Effect.tap(({ amount }) => Ref.update(paid, (amounts) => [...amounts, amount])),
            Effect.tap(() => progress(paid, employees.length)),
            Effect.either,
            Effect.map((result) => ({ employee, result }))
          ),
        { concurrency: 25 }
      )
      open = results.flatMap(({ employee, result }) => (Either.isLeft(result) ? [employee] : []))
      const reasons = results.flatMap(({ result }) =>
        Either.isLeft(result) ? [result.left._tag] : []
      )
      const why = Array.from(new Set(reasons)).join(", ")
      yield* Timeline.print(
        `round ${round}`,
        open.length === 0
          ? "everyone is paid"
          : `${open.length} open (${why}): once more, same keys`
      )
    }
    return { paid: yield* Ref.get(paid), open }
  })

const progress = (paid: Ref.Ref<ReadonlyArray<Amount.Amount>>, all: number) =>
  Effect.flatMap(Ref.get(paid), ({ length }) =>
    length % 25 === 0
      ? Timeline.print(
          "paid",
          `${"█".repeat(length / 10).padEnd(all / 10, "░")} ${length} of ${all}`
        )
      : Effect.void
  )

/** Something goes wrong every tenth of a second, for as long as it takes to pay half of them. */
const havoc = ({ faults, revokeTokens }: Sandbox.Service) =>
  Effect.gen(function* () {
    const operation = "Payouts.create"
    const fault = yield* Random.choice([
      faults.add(Fault.dropAfter({ operation, times: 6 })),
      faults.add(Fault.dropBefore({ operation, times: 4 })),
      faults.add(Fault.status(503, { operation, times: 4, processed: true })),
      faults.add(Fault.status(429, { operation, retryAfter: 1 })),
      faults.add(Fault.body("<html>", { operation, times: 2 })),
      faults.add(Fault.dropAfter({ operation: "Payouts.get", times: 5 })),
      revokeTokens
    ])
    yield* fault
    yield* Effect.sleep("100 millis")
  }).pipe(Effect.repeatN(60))

const program = Effect.gen(function* () {
  const employees = yield* Payroll.read(new URL("employees.csv", import.meta.url))
  const asked = Amount.sum(employees.map(({ amount }) => Amount.Amount.make(amount)))
  yield* Timeline.print("payroll", `${employees.length} employees, ${asked} XOF`)

  yield* Effect.fork(Example.onSandbox(havoc))
  const { open, paid } = yield* payAll(employees, yield* Example.wallet("XOF"))

  const transactions = yield* Transactions.Transactions
  const payouts = yield* transactions.stream({ per_page: 100, currency: "XOF" }).pipe(
    Stream.filter(({ operation }) => operation === "PAYOUT"),
    Stream.runCollect,
    Effect.map(Chunk.toReadonlyArray)
  )
  const booked = Amount.sum(payouts.map(({ amount }) => amount))
  const agree = [Amount.sum(paid), booked].every(
    (sum) => Amount.compare(sum, Amount.Amount.make(asked)) === 0
  )
  yield* Console.log(`
Reconciliation

  asked for      ${String(employees.length).padStart(3)} payouts   ${asked} XOF
  paid           ${String(paid.length).padStart(3)} payouts   ${Amount.sum(paid)} XOF
  transactions   ${String(payouts.length).padStart(3)} payouts   ${booked} XOF

${open.length === 0 && agree ? "They agree to the last unit: everyone was paid exactly once." : "THEY DO NOT AGREE"}
`)
})

Example.run("Payroll", program, {
  wallets: [
    { currency: Currency.Currency.make("XOF"), balance: Amount.Amount.make("100000000.0000") }
  ]
})
