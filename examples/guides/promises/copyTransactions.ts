import type { Promises } from "@manilla/promises"

/** Stores every transaction once. `store` is yours: a row with a known reference replaces the old one. */
export const copyAll = async (
  { transactions }: Promises.Promises,
  store: (reference: string, amount: string) => Promise<void>,
  from = 1
) => {
  for await (const row of transactions.stream({ status: "COMPLETED" }, { from })) {
    // The last one. A `PageError` has the page to resume from.
    if (!row.ok) return row
    await store(row.value.reference, row.value.amount)
  }
  return { ok: true } as const
}
