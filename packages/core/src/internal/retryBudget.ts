/**
 * A token bucket for retries: full at first, drained by retries, refilled by successes.
 */
export interface RetryBudget {
  /** Takes one retry, or says that there is none left. */
  readonly take: () => boolean
  /** A success came; `retried` says whether a retry brought it. */
  readonly earn: (retried: boolean) => void
}

const earnedPerSuccess = 0.1

export const make = (capacity: number): RetryBudget => {
  let left = capacity
  return {
    take: () => {
      if (left < 1) return false
      left -= 1
      return true
    },
    earn: (retried) => {
      left = Math.min(capacity, left + (retried ? 1 : earnedPerSuccess))
    }
  }
}
