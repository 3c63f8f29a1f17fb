/**
 * Attempts, retries, waits and deadlines: no more of them, and no sooner, than is allowed.
 */
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Polling from "@manilla/core/Polling"
import * as Duration from "effect/Duration"
import * as Workload from "../Workload.js"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"

/** Attempts, waits and retries are what the policy allows. */
export const withinPolicy = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, instructions, policy, sent } = evidence
  const violations: Array<string> = []
  for (const [process, own] of Sent.grouped(sent, (one) => String(one.process))) {
    // The gateway has a budget for reads and one for writes; its tokens have their own.
    for (const [budget, part] of Sent.grouped(own, budgetOf)) {
      const retriedMillis: Array<number> = []
      let earned = 0
      for (const attempts of Sent.grouped(part, (one) => one.span).values()) {
        const [first] = attempts
        if (first === undefined) continue
        const name = `${first.call} ${first.method} ${first.path}`
        const renewed = attempts.slice(0, -1).some(({ heard }) => heard === 401) ? 1 : 0
        const tried = attempts.length - renewed
        if (tried > policy.attempts) {
          violations.push(`${name}: ${tried} attempts, and ${policy.attempts} are allowed`)
        }
        if (Sent.isWrite(first) && first.key === undefined) onlyOnce(attempts, violations)
        waited(attempts, name, clockWasSet, violations)
        if (!clockWasSet) endedInTime(attempts, name, policy, violations)
        attempts.forEach(({ atMillis }, index) => {
          if (index > 0 && attempts[index - 1]?.heard !== 401) retriedMillis.push(atMillis)
        })
        if (attempts.some(({ heard }) => typeof heard === "number" && heard < 300)) earned += 0.1
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
      Duration.toMillis(policy.deadline) + (Workload.waits(instruction) ? waitMillis : 0) + 1
    for (const { endedMillis, name, startedMillis } of instruction.calls) {
      const tookMillis = endedMillis - startedMillis
      if (tookMillis > limitMillis) {
        violations.push(`${name}: took ${tookMillis} ms, beyond its deadline`)
      }
    }
  }
  return violations
}

const budgetOf = (one: Sent.Sent): string =>
  Sent.isForToken(one) ? "tokens" : Sent.isWrite(one) ? "writes" : "reads"

/** An empty budget is full again after this. */
const refillMillis = 10_000

/** A full budget at most, what time gives back, and what successes earn. */
const withinBudget = (
  retriedMillis: Array<number>,
  earned: number,
  capacity: number,
  violated: (why: string) => void
): void => {
  const [first = 0] = retriedMillis.sort((one, other) => one - other)
  retriedMillis.forEach((atMillis, index) => {
    const allowed = capacity * (1 + (atMillis - first) / refillMillis) + earned
    // Between the moment when a retry is taken and its request some of the budget refills: one more.
    const most = capacity === 0 ? 0 : allowed + 1
    if (index + 1 > most) violated(`${index + 1} retries within ${atMillis - first} ms`)
  })
}

export const waitMillis = Duration.toMillis(Polling.defaults.deadline)

/** An attempt has its time, and no more: its body is a part of it, and its token is not. */
const endedInTime = (
  attempts: ReadonlyArray<Sent.Sent>,
  name: string,
  policy: RetryPolicy.RetryPolicy,
  violations: Array<string>
): void => {
  const limitMillis = Duration.toMillis(policy.attemptTimeout)
  attempts.forEach(({ atMillis, closedMillis, heard, number }, index) => {
    const tookMillis = closedMillis - atMillis
    // The last may have been interrupted, or have come up against the deadline.
    const cut = heard === "given up" && index < attempts.length - 1
    if (tookMillis > limitMillis + 1 || (cut && tookMillis < limitMillis - 1)) {
      violations.push(`${name}: #${number} had ${tookMillis} ms`)
    }
  })
}

/** Without a key nothing is sent again that may have been processed. */
const onlyOnce = (attempts: ReadonlyArray<Sent.Sent>, violations: Array<string>): void => {
  for (const { call, heard } of attempts.slice(0, -1)) {
    if (heard !== 401 && heard !== "refused") {
      violations.push(`${call}: sent again without a key after ${heard}`)
    }
  }
}

/** `Retry-After` is waited for, and a refused token is not shown again. */
const waited = (
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
      violations.push(`${name}: asked to wait ${before.retryAfterMillis} ms, waited ${millis}`)
    }
    if (before.heard === 401 && before.authorization === attempt.authorization) {
      violations.push(`${name}: sent again with the token that was refused`)
    }
  })
}
