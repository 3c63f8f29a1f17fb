/**
 * A token bucket that limits the retries of all reads of a gateway, or of all its writes, to protect a
 * failing service. It is full at first, and refilled by time and by successes. A retry that finds it empty is
 * delayed, and fails only at its deadline.
 */
export interface RetryBudget {
  /** Milliseconds until the next retry is allowed. */
  readonly waitMillis: (nowMillis: number) => number
  /** Reserves one retry, to be made after {@link waitMillis}. */
  readonly take: (nowMillis: number) => void
  /** Returns a reserved retry that was not made. */
  readonly giveBack: () => void
  /** Returns part of a retry after a success. */
  readonly earn: () => void
}

const earnedPerSuccess = 0.1

/** With the default size, the budget refills at 10 retries per second. */
const refillMillis = 10_000

export const make = (capacity: number): RetryBudget => {
  const perMilli = capacity / refillMillis
  /** Negative if waiting calls have reserved retries. */
  let left = capacity
  let atMillis = -Infinity

  const gain = (retries: number): void => {
    left = Math.min(capacity, left + retries)
  }
  const refill = (nowMillis: number): void => {
    // If the clock was set back, `left` does not grow.
    if (nowMillis > atMillis && atMillis !== -Infinity) gain((nowMillis - atMillis) * perMilli)
    atMillis = nowMillis
  }
  return {
    waitMillis: (nowMillis) => {
      refill(nowMillis)
      return left >= 1 ? 0 : Math.ceil((1 - left) / perMilli)
    },
    take: (nowMillis) => {
      refill(nowMillis)
      left -= 1
    },
    giveBack: () => gain(1),
    earn: () => gain(earnedPerSuccess)
  }
}
