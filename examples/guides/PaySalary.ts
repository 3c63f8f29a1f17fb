import { IdempotencyKey } from "@manilla/core"
import { Payouts } from "@manilla/payouts"
import { Config, Effect } from "effect"

/** Called by a worker every minute, for each salary that is still open. */
export const paySalary = (employee: string, destination: string, amount: string) =>
  Effect.gen(function* () {
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
    })
  )
