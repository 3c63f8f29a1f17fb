/** A salary, as it is stored. */
export interface Salary {
  /** Such as `2026-11`. */
  readonly month: string
  readonly employee: string
  readonly destination: string
  readonly amount: string
  /** Milliseconds. When the first call was made, which is stored before it. Undefined for the first call. */
  readonly sentMillis?: number | undefined
}

/** The same request each time. */
export const requestOf = ({ amount, destination }: Salary, wallet_id: string) => ({
  wallet_id,
  amount,
  currency: "XOF",
  country: "BJ",
  payment_method: "mtn_momo",
  destination
})

const hours = 60 * 60 * 1000

/** The service may have forgotten the key, and would pay again. A call takes minutes at most. */
export const isOld = ({ sentMillis }: Salary, now: number) =>
  sentMillis !== undefined && now - sentMillis > 23 * hours
