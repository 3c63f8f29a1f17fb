/**
 * Pays the salaries of a month: who is paid, whose payment is to be gone on with, and whose a person
 * has to look at.
 */
import { IdempotencyKey } from "@manilla/core"
import { type Payout, Payouts } from "@manilla/payouts"
import { Effect } from "effect"
import * as Timeline from "../support/Timeline.js"
import type { Employee } from "./Payroll.js"

/** What came of paying an employee. Only a payout that is `COMPLETED` has paid anyone. */
export type Outcome = { readonly employee: Employee } & (
  | { readonly is: "paid"; readonly payout: Payout.Payout }
  | Open
  | { readonly is: "set aside"; readonly why: string }
)

interface Open {
  readonly is: "open"
  readonly why: string
  /**
   * Whether it ever ended unknown in this run. A later refusal speaks of its own call, and takes no
   * doubt away.
   */
  readonly isDoubtful: boolean
  /** Of the payout, once it is known to be there: from then on it is waited for, and not sent again. */
  readonly reference: Payout.PayoutReference | undefined
}

type Failure = Effect.Effect.Error<ReturnType<Payouts.Service["disburse"]>>

/**
 * What to do after a failure. "open": the same request under the same key makes the payout, or finds
 * the one that it made. "set aside": the same request would end the same, or must not be sent again.
 */
const after: Readonly<Record<Failure["_tag"], "open" | "set aside">> = {
  OutcomeUnknown: "open",
  PayoutStillPending: "open",
  // These were not applied, and pass.
  TransportError: "open",
  RateLimitError: "open",
  TokenUnavailableError: "open",
  UnauthorizedError: "open",
  // It was applied, and the answer cannot be read: the reconciliation shows it.
  AppliedUnreadable: "set aside",
  // Another payout came back under this key, twice: a person must look at it before anything is paid.
  KeyReused: "set aside",
  // What is wrong stays wrong until someone puts it right.
  InvalidRequestError: "set aside",
  BadRequestError: "set aside",
  ForbiddenError: "set aside",
  NotFoundError: "set aside",
  UnprocessableError: "set aside"
}

/** Pays an employee, or goes on with what was left open. */
const pay = (employee: Employee, month: string, wallet_id: string, before: Open | undefined) =>
  before?.reference === undefined
    ? disburse(employee, month, wallet_id, before)
    : follow(employee, before.reference)

/** The key is made of what the payment is for: run this again, and nobody is paid twice. */
const disburse = (employee: Employee, month: string, wallet_id: string, before: Open | undefined) =>
  Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    return yield* payouts
      .disburse(
        {
          wallet_id,
          amount: employee.amount,
          currency: employee.currency,
          country: employee.country,
          payment_method: employee.payment_method,
          destination: employee.phone,
          metadata: { payroll: month, employee: employee.employee }
        },
        { key: IdempotencyKey.derive("payroll", month, employee.employee) }
      )
      .pipe(
        Effect.match({
          onFailure: (failure) => ({ employee, ...afterFailure(failure, before) }),
          onSuccess: (payout) => afterSettling(employee, payout)
        })
      )
  })

/** The payout is there: it is waited for. */
const follow = (employee: Employee, reference: Payout.PayoutReference) =>
  Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    return yield* payouts.awaitFinal(reference).pipe(
      Effect.match({
        onFailure: ({ _tag }): Outcome => ({
          employee,
          is: "open",
          why: `${reference} was made, and has not settled: ${_tag}`,
          isDoubtful: false,
          reference
        }),
        onSuccess: (payout) => afterSettling(employee, payout)
      })
    )
  })

const afterSettling = (employee: Employee, payout: Payout.Payout): Outcome =>
  payout.status === "COMPLETED"
    ? { employee, is: "paid", payout }
    : { employee, is: "set aside", why: `${payout.reference} is ${payout.status}` }

const afterFailure = (
  failure: Failure,
  before: Open | undefined
): Open | { readonly is: "set aside"; readonly why: string } => {
  const { _tag } = failure
  if (_tag === "AppliedUnreadable") {
    const found = failure.reference ?? failure.id ?? "no reference"
    return { is: "set aside", why: `made (${found}), and its answer cannot be read` }
  }
  if (_tag === "KeyReused") {
    const found = failure.reference ?? failure.id ?? "no reference"
    const other = `another payout (${found}) has its key, and differs in ${failure.differs.join(", ")}`
    return { is: "set aside", why: `${other}; whether this one was made is unknown` }
  }
  const wasDoubtful = before?.isDoubtful ?? false
  const why =
    wasDoubtful && _tag !== "OutcomeUnknown"
      ? `${_tag}, but OutcomeUnknown before: it may have been made, and not to be paid under another key`
      : _tag
  if (after[_tag] === "open") {
    return {
      is: "open",
      why,
      isDoubtful: wasDoubtful || _tag === "OutcomeUnknown",
      reference: _tag === "PayoutStillPending" ? failure.reference : undefined
    }
  }
  return {
    is: "set aside",
    why: wasDoubtful
      ? why
      : `${_tag}; an earlier run that left it unknown may have made it: then not to be paid under another key`
  }
}

/** Pays everyone, in at most five rounds: what is open after one is gone on with in the next. */
export const payAll = (employees: ReadonlyArray<Employee>, month: string, wallet_id: string) =>
  Effect.gen(function* () {
    const latest = new Map<Employee, Outcome>()
    const leftOpen = (employee: Employee) => {
      const outcome = latest.get(employee)
      return outcome?.is === "open" ? outcome : undefined
    }
    let open = employees
    let paid = 0
    for (let round = 1; round <= 5 && open.length > 0; round++) {
      const outcomes = yield* Effect.forEach(
        open,
        (employee) =>
          Effect.tap(pay(employee, month, wallet_id, leftOpen(employee)), ({ is }) =>
            is === "paid" ? progress(++paid, employees.length) : Effect.void
          ),
        { concurrency: 25 }
      )
      for (const outcome of outcomes) latest.set(outcome.employee, outcome)
      const left = outcomes.filter((outcome) => outcome.is === "open")
      open = left.map(({ employee }) => employee)
      const why = Array.from(new Set(left.map((outcome) => outcome.why))).join(", ")
      yield* Timeline.print(
        `round ${round}`,
        open.length === 0
          ? `${paid} of ${employees.length} are paid`
          : `${open.length} open (${why}): once more, same keys`
      )
    }
    return Array.from(latest.values())
  })

const progress = (paid: number, all: number) =>
  paid % 25 === 0
    ? Timeline.print("paid", `${"█".repeat(paid / 10).padEnd(all / 10, "░")} ${paid} of ${all}`)
    : Effect.void
