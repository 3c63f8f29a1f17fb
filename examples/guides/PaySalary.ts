import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Clock, Config, Effect } from "effect"
import { isOld, requestOf, type Salary } from "./Salary.js"

/** Called by a worker every minute, for each salary that is open. */
export const paySalary = (salary: Salary) =>
  Effect.gen(function* () {
    if (isOld(salary, yield* Clock.currentTimeMillis)) return "look at it: open for a day"
    const payouts = yield* Payouts.Payouts
    const payout = yield* payouts.disburse(
      requestOf(salary, yield* Config.string("MANILLA_WALLET_ID")),
      { key: IdempotencyKey.derive("salary", salary.month, salary.employee) }
    )
    return payout.status === "COMPLETED" ? "paid" : `look at it: ${payout.status}`
  }).pipe(
    // It is paid, or may be, so it stays open: the next call sends the same request with the same key, and follows it.
    Effect.catchTags({
      OutcomeUnknown: () => Effect.succeed("open"),
      PayoutStillPending: () => Effect.succeed("open")
    }),
    // After an earlier call, no error shows that nothing was paid.
    Effect.catchIf(
      () => salary.sentMillis !== undefined,
      ({ message }) => Effect.as(Effect.logWarning(message), "open")
    )
  )
