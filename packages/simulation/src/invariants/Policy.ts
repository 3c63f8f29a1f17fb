/**
 * Limits on attempts, retries, delays and deadlines.
 */
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Polling from "@manilla/core/Polling"
import * as Duration from "effect/Duration"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"

/** Attempts, delays and retries stay within the policy. */
export const withinPolicy = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, instructions, policy, sent } = evidence
  const violations: Array<string> = []
  for (const [process, requests] of Sent.grouped(sent, (one) => String(one.process))) {
    // The gateway has one budget for reads and one for writes; the token source has its own.
    for (const [budget, part] of Sent.grouped(requests, budgetOf)) {
      const retriedMillis: Array<number> = []
      let earned = 0
      for (const attempts of Sent.grouped(part, (one) => one.span).values()) {
        const [first] = attempts
        if (first === undefined) continue
        const name = `${first.call} ${first.method} ${first.path}`
        const renewed = attempts.slice(0, -1).some(({ received }) => received === 401) ? 1 : 0
        const tried = attempts.length - renewed
        if (tried > policy.attempts) {
          violations.push(`${name}: ${tried} attempts, but the policy allows ${policy.attempts}`)
        }
        if (Sent.isWrite(first) && first.key === undefined) notRepeated(attempts, violations)
        delaysHonoured(attempts, name, clockWasSet, violations)
        if (!clockWasSet) timeoutsHonoured(attempts, name, policy, violations)
        attempts.forEach(({ atMillis }, index) => {
          if (index > 0 && attempts[index - 1]?.received !== 401) retriedMillis.push(atMillis)
        })
        if (attempts.some(({ received }) => typeof received === "number" && received < 300))
          earned += 0.1
      }
      if (!clockWasSet) {
        withinBudget(retriedMillis, earned, policy.budget, (why) =>
          violations.push(`process ${process}, ${budget}: ${why}`)
        )
      }
    }
  }
  if (clockWasSet) return violations
  for (const instruction of instructions) {
    const limitMillis =
      Duration.toMillis(policy.deadline) + (instruction.method.waits ? waitMillis : 0) + 1
    for (const { endedMillis, name, startedMillis } of instruction.calls) {
      const tookMillis = endedMillis - startedMillis
      if (tookMillis > limitMillis) {
        violations.push(`${name}: took ${tookMillis} ms, past its deadline`)
      }
    }
  }
  return violations
}

const budgetOf = (one: Sent.Sent): string =>
  Sent.isForToken(one) ? "tokens" : Sent.isWrite(one) ? "writes" : "reads"

/** The time in which an empty budget refills. */
const refillMillis = 10_000

/** The limit is a full budget, plus its refill over time, plus the share earned by successes. */
const withinBudget = (
  retriedMillis: Array<number>,
  earned: number,
  capacity: number,
  violated: (why: string) => void
): void => {
  const [first = 0] = retriedMillis.sort((one, other) => one - other)
  retriedMillis.forEach((atMillis, index) => {
    const allowed = capacity * (1 + (atMillis - first) / refillMillis) + earned
    // The budget refills a little between the decision to retry and the request, so allow one more.
    const limit = capacity === 0 ? 0 : allowed + 1
    if (index + 1 > limit) violated(`${index + 1} retries within ${atMillis - first} ms`)
  })
}

export const waitMillis = Duration.toMillis(Polling.defaults.deadline)

/** An attempt ends at its timeout, not before or after. Its body counts, its token does not. */
const timeoutsHonoured = (
  attempts: ReadonlyArray<Sent.Sent>,
  name: string,
  policy: RetryPolicy.RetryPolicy,
  violations: Array<string>
): void => {
  const limitMillis = Duration.toMillis(policy.attemptTimeout)
  attempts.forEach(({ atMillis, closedMillis, received, number }, index) => {
    const tookMillis = closedMillis - atMillis
    // The last attempt may end early, by an interruption or by the deadline.
    const timedOut = received === "aborted" && index < attempts.length - 1
    if (tookMillis > limitMillis + 1 || (timedOut && tookMillis < limitMillis - 1)) {
      violations.push(`${name}: #${number} took ${tookMillis} ms`)
    }
  })
}

/** A write without a key is not repeated once it may have been processed. */
const notRepeated = (attempts: ReadonlyArray<Sent.Sent>, violations: Array<string>): void => {
  for (const { call, received } of attempts.slice(0, -1)) {
    if (received !== 401 && received !== "refused") {
      violations.push(`${call}: sent again without a key after ${received}`)
    }
  }
}

/** `Retry-After` is honoured, and a rejected token is not reused. */
const delaysHonoured = (
  attempts: ReadonlyArray<Sent.Sent>,
  name: string,
  clockWasSet: boolean,
  violations: Array<string>
): void => {
  attempts.forEach((attempt, index) => {
    const before = attempts[index - 1]
    if (before === undefined) return
    const millis = attempt.atMillis - before.closedMillis
    const known = !(before.retryAfterIsDate && clockWasSet)
    if (known && before.retryAfterMillis !== undefined && millis < before.retryAfterMillis) {
      violations.push(
        `${name}: retried after ${millis} ms, but Retry-After was ${before.retryAfterMillis} ms`
      )
    }
    if (before.received === 401 && before.authorization === attempt.authorization) {
      violations.push(`${name}: retried with the rejected token`)
    }
  })
}
