import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Clock, Config, Effect } from "effect"
import { isOld, requestOf, type Salary, stateAfter } from "./Salary.js"

/** Called for each salary that is open. `markSent` stores `sentMillis`. */
export const paySalary = <E, R>(salary: Salary, markSent: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    if (isOld(salary, yield* Clock.currentTimeMillis)) return "look at it: open for a day"
    const payouts = yield* Payouts.Payouts
    const wallet_id = yield* Config.string("MANILLA_WALLET_ID")
    const isFirst = salary.sentMillis === undefined
    // Before the request: if the process dies now, the next call is not the first one.
    if (isFirst) yield* markSent
    const key = IdempotencyKey.derive("salary", salary.month, salary.employee)
    return yield* Effect.match(payouts.disburse(requestOf(salary, wallet_id), { key }), {
      onFailure: (error) => stateAfter(error, isFirst),
      onSuccess: ({ status }) => (status === "COMPLETED" ? "paid" : `look at it: ${status}`)
    })
  })
