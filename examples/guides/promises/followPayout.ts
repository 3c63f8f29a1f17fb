import { Payout, type Promises } from "@manilla/promises"

/** In a worker, for each stored reference: wait for the final status. */
export const followPayout = async ({ payouts }: Promises.Promises, stored: string) => {
  const followed = await payouts.awaitFinal(Payout.makeReference(stored))
  // The wait has ended, and the payout goes on.
  if (!followed.ok) return "open"
  const { status } = followed.value
  return status === "COMPLETED" ? "paid" : `look at it: ${status}`
}
