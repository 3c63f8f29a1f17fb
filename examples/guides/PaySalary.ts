import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Clock, Config, Duration, Effect } from "effect"

/** A salary, as it is stored. */
export interface Salary {
  readonly employee: string
  readonly destination: string
  readonly amount: string
  /** When the first call was made, which is stored before it. Undefined for the first call. */
  readonly sentMillis?: number | undefined
}

/** Called by a worker every minute, for each salary that is open. */
export const paySalary = ({ amount, destination, employee, sentMillis }: Salary) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // The service may have forgotten the key, and would pay again. The call itself takes minutes at most.
    const isOld = sentMillis !== undefined && now - sentMillis > Duration.toMillis("23 hours")
    if (isOld) return "look at it: open for a day"
    const payouts = yield* Payouts.Payouts
    const wallet_id = yield* Config.string("MANILLA_WALLET_ID")
    const payout = yield* payouts.disburse(
      {
        wallet_id,
        amount,
        currency: "XOF",
        country: "BJ",
        payment_method: "mtn_momo",
        destination
      },
      { key: IdempotencyKey.derive("salary", "2026-11", employee) }
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
      () => sentMillis !== undefined,
      ({ message }) => Effect.as(Effect.logWarning(message), "open")
    )
  )
