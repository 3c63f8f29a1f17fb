import { Payout, Payouts } from "@manilla/payouts"
import { Effect } from "effect"

/** In a worker, for each stored reference: wait for the final status. */
export const followPayout = (stored: string) =>
  Effect.gen(function* () {
    const payouts = yield* Payouts.Payouts
    const payout = yield* payouts.awaitFinal(Payout.makeReference(stored))
    return payout.status === "COMPLETED" ? "paid" : `look at it: ${payout.status}`
  })
