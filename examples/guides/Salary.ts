/** A salary, as it is stored. */
export interface Salary {
  /** Such as `2026-11`. */
  readonly month: string
  readonly employee: string
  readonly destination: string
  readonly amount: string
  /** When its first call was made, in milliseconds; undefined before that. */
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

const refusals: ReadonlySet<string> = new Set([
  "InvalidRequestError",
  "BadRequestError",
  "UnprocessableError"
])
const strange: ReadonlySet<string> = new Set(["AppliedUnreadable", "KeyReused"])

/** The state of a salary after a call that has failed. */
export const stateAfter = (
  { _tag, message }: { readonly _tag: string; readonly message: string },
  isFirst: boolean
) => {
  if (strange.has(_tag)) return `look at it: ${message}`
  // Only a refusal of the first call means that nothing was paid.
  return isFirst && refusals.has(_tag) ? `not paid: ${message}` : "open"
}
