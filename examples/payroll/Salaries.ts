/**
 * Pays the salaries of a month. Each employee ends as "paid", as "open" (retry with the same key), or
 * as "set aside" (a person must look).
 */
import { IdempotencyKey } from "@manilla/core"
import { type Payout, Payouts } from "@manilla/payouts"
import { Effect } from "effect"
import * as Timeline from "../support/Timeline.js"
import * as Payroll from "./Payroll.js"
import type { Employee } from "./Payroll.js"

/** The result for one employee. Only a `COMPLETED` payout counts as paid. */
export type Result = { readonly employee: Employee } & (
  | { readonly is: "paid"; readonly payout: Payout.Payout }
  | Open
  | { readonly is: "set aside"; readonly why: string }
)

interface Open {
  readonly is: "open"
  readonly why: string
  /**
   * Whether any call of this run ended with an unknown outcome. A later refusal cannot show that the
   * earlier call failed.
   */
  readonly isDoubtful: boolean
  /** Set once the payout is known to exist. From then on we wait for it and do not send it again. */
  readonly reference: Payout.PayoutReference | undefined
}

type Failure = Effect.Effect.Error<ReturnType<Payouts.Service["disburse"]>>

/**
 * The next step after an error. "open": retry the same request with the same key; this creates the payout,
 * or returns the one that exists. "set aside": a retry would fail again, or must not be made.
 */
const after: Readonly<Record<Failure["_tag"], "open" | "set aside">> = {
  OutcomeUnknown: "open",
  PayoutStillPending: "open",
  // Not applied, and temporary.
  TransportError: "open",
  RateLimitError: "open",
  TokenUnavailableError: "open",
  UnauthorizedError: "open",
  // Applied, but the response cannot be read. The reconciliation finds the payout.
  AppliedUnreadable: "set aside",
  // The service returned a different payout for this key, twice. A person must check before a retry.
  KeyReused: "set aside",
  // Not applied, and a retry would fail again until somebody fixes the cause.
  InvalidRequestError: "set aside",
  BadRequestError: "set aside",
  ForbiddenError: "set aside",
  NotFoundError: "set aside",
  UnprocessableError: "set aside"
}

/** Pays an employee, or continues a payout that the last round left open. */
const pay = (employee: Employee, month: string, wallet_id: string, before: Open | undefined) =>
  before?.reference === undefined
    ? disburse(employee, month, wallet_id, before)
    : follow(employee, before.reference)

/**
 * The key is derived from the month and the employee, so a second run pays nobody twice while the service remembers
 * the keys. This program stores nothing, so do not repeat it later than that: payroll-durable does.
 */
const disburse = (employee: Employee, month: string, wallet_id: string, before: Open | undefined) =>
  Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    return yield* payouts
      .disburse(Payroll.payout(employee, month, wallet_id), {
        key: IdempotencyKey.derive("payroll", month, employee.employee)
      })
      .pipe(
        Effect.match({
          onFailure: (failure) => ({ employee, ...afterFailure(failure, before) }),
          onSuccess: (payout) => onFinal(employee, payout)
        })
      )
  })

/** The payout exists: wait for its final status. */
const follow = (employee: Employee, reference: Payout.PayoutReference) =>
  Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    return yield* payouts.awaitFinal(reference).pipe(
      Effect.match({
        onFailure: ({ _tag }): Result => ({
          employee,
          is: "open",
          why: `${reference} was created, but its final status is not known: ${_tag}`,
          isDoubtful: false,
          reference
        }),
        onSuccess: (payout) => onFinal(employee, payout)
      })
    )
  })

const onFinal = (employee: Employee, payout: Payout.Payout): Result =>
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
    return { is: "set aside", why: `created (${found}), but the response cannot be read` }
  }
  if (_tag === "KeyReused") {
    const found = failure.reference ?? failure.id ?? "no reference"
    const other = `the key belongs to another payout (${found}), which differs in ${failure.differs.join(", ")}`
    return { is: "set aside", why: `${other}; the outcome of this payout is unknown` }
  }
  const wasDoubtful = before?.isDoubtful ?? false
  const why =
    wasDoubtful && _tag !== "OutcomeUnknown"
      ? `${_tag} after OutcomeUnknown: the payout may have been made, so do not pay under another key`
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
      : `${_tag}; if an earlier run ended with OutcomeUnknown, the payout may exist: do not pay under another key`
  }
}

/** Pays everyone in at most five rounds. Each round retries the payouts that the last one left open. */
export const payAll = (employees: ReadonlyArray<Employee>, month: string, wallet_id: string) =>
  Effect.suspend(() => {
    let paid = 0
    return Effect.gen(function* () {
      const latest = new Map<Employee, Result>()
      const leftOpen = (employee: Employee) => {
        const result = latest.get(employee)
        return result?.is === "open" ? result : undefined
      }
      let open = employees
      for (let round = 1; round <= 5 && open.length > 0; round++) {
        const results = yield* Effect.forEach(
          open,
          (employee) =>
            Effect.tap(pay(employee, month, wallet_id, leftOpen(employee)), ({ is }) =>
              is === "paid" ? progress(++paid, employees.length) : Effect.void
            ),
          { concurrency: 25 }
        )
        for (const result of results) latest.set(result.employee, result)
        const left = results.filter((result) => result.is === "open")
        open = left.map(({ employee }) => employee)
        const why = Array.from(new Set(left.map((result) => result.why))).join(", ")
        yield* Timeline.print(
          `round ${round}`,
          open.length === 0
            ? `${paid} of ${employees.length} paid`
            : `${open.length} open (${why}): retrying with the same keys`
        )
      }
      return Array.from(latest.values())
    }).pipe(
      Effect.onInterrupt(() =>
        Timeline.print(
          "stopped",
          `${paid} of ${employees.length} paid; others may be. Run it again today, while the service remembers the keys.`
        )
      )
    )
  })

const progress = (paid: number, all: number) =>
  paid % 25 === 0
    ? Timeline.print("paid", `${"█".repeat(paid / 10).padEnd(all / 10, "░")} ${paid} of ${all}`)
    : Effect.void
