/**
 * Attempts, retries, waits and deadlines: no more of them, and no sooner, than is allowed.
 */
import type * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Settlement from "@manilla/core/Settlement"
import * as Duration from "effect/Duration"
import * as Intentions from "../Intentions.js"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"

/** Attempts, waits and retries are what the policy allows. */
export const withinPolicy = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, intentions, policy, sent } = evidence
  const violations: Array<string> = []
  for (const [process, own] of Sent.grouped(sent, (one) => String(one.process))) {
    // The gateway has one budget; that of the tokens is another.
    for (const [gateway, part] of Sent.grouped(own, (one) => String(Sent.isForToken(one)))) {
      let retries = 0
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
        retries += tried - 1
        if (attempts.some(({ heard }) => typeof heard === "number" && heard < 300)) {
          earned += tried > 1 ? 1 : 0.1
        }
      }
      // Tenths do not add up to whole numbers.
      if (retries > policy.budget + earned + 1e-9) {
        violations.push(
          `process ${process}: ${retries} retries${gateway === "true" ? " for tokens" : ""}, and ${policy.budget + earned} were to be had`
        )
      }
    }
  }
  if (clockWasSet) return violations
  for (const intention of intentions) {
    const limitMillis =
      Duration.toMillis(policy.deadline) + (Intentions.waits(intention) ? waitMillis : 0) + 1
    for (const { endedMillis, name, startedMillis } of intention.calls) {
      const tookMillis = endedMillis - startedMillis
      if (tookMillis > limitMillis) {
        violations.push(`${name}: took ${tookMillis} ms, beyond its deadline`)
      }
    }
  }
  return violations
}

export const waitMillis = Duration.toMillis(Settlement.defaults.deadline)

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
