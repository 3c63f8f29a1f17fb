/**
 * A token bucket that limits retries: full at first, refilled by time and by successes. A retry that
 * finds it empty waits for its turn, so that a service that is down is not stormed, and no call fails
 * for the sake of others while it has time left.
 */
export interface RetryBudget {
  /** Milliseconds until a retry may go. */
  readonly waitMillis: (nowMillis: number) => number
  /** Takes one retry, which goes after {@link waitMillis}. */
  readonly take: (nowMillis: number) => void
  /** Gives back a retry that was taken and not made. */
  readonly giveBack: () => void
  /** Gives back a part of a retry for a success. */
  readonly earn: () => void
}

const earnedPerSuccess = 0.1

/** An empty budget of the default size gives 10 retries a second. */
const refillMillis = 10_000

export const make = (capacity: number): RetryBudget => {
  const perMilli = capacity / refillMillis
  /** Below zero, retries have been promised to calls that wait. */
  let left = capacity
  let atMillis = -Infinity

  const refill = (nowMillis: number): void => {
    // A clock that is set back gives nothing, and takes nothing.
    if (nowMillis > atMillis && atMillis !== -Infinity) {
      left = Math.min(capacity, left + (nowMillis - atMillis) * perMilli)
    }
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
    giveBack: () => {
      left = Math.min(capacity, left + 1)
    },
    earn: () => {
      left = Math.min(capacity, left + earnedPerSuccess)
    }
  }
}
