/**
 * Invariants over the outcome that each call reported, and over the warnings of interrupted calls.
 */
import * as Duration from "effect/Duration"
import * as Workload from "../Workload.js"
import * as Sent from "../Sent.js"
import * as Books from "./Books.js"
import type { Evidence } from "./Evidence.js"
import { waitMillis } from "./Policy.js"
import { mustRetry } from "./Progress.js"
import * as Tokens from "./Tokens.js"

/** The outcome of each call holds for its own requests, including late arrivals. */
export const outcomesOfCalls = ({
  clockWasSet,
  instructions,
  means,
  policy,
  processEndsMillis,
  sent
}: Evidence): ReadonlyArray<string> => {
  const violations: Array<string> = []
  for (const instruction of instructions) {
    for (const { endedMillis, name, startedMillis, outcome } of instruction.calls) {
      const writes = sent.filter((one) => one.call === name && Sent.isWrite(one))
      const applied = writes.some(({ answered }) => answered.some((status) => status < 300))
      if (outcome?._tag === "NotApplied" && applied) {
        violations.push(`${name}: reported not applied (${outcome.error}), but it was applied`)
      }
      const key = Workload.isKeyed(instruction) ? instruction.key : undefined
      const otherKey = writes.find((one) => one.key !== key)
      if (otherKey !== undefined) violations.push(`${name}: sent under the key ${otherKey.key}`)
      if (outcome?._tag === "Applied") {
        if (!applied) {
          violations.push(`${name}: reported applied, but the service did not apply it`)
        }
        if (writes.at(-1)?.mismatched) {
          violations.push(`${name}: reported applied after a mismatched response`)
        }
        const names = Sent.namesIn(writes.at(-1)?.data)
        if (names.length > 0 && !names.some((one) => outcome.names.includes(one))) {
          violations.push(`${name}: reported applied without ${names.join()}`)
        }
        const body = Workload.bodyOf(instruction, name, means)
        for (const difference of Books.differences(body, { ...outcome.shown })) {
          violations.push(`${name}: reported ${difference}`)
        }
        if (outcome.unreadable && outcome.unreadable.key !== key) {
          violations.push(`${name}: reported the key ${outcome.unreadable.key} instead of ${key}`)
        }
      }
      const error = outcome?._tag === "Applied" ? outcome.stopped?.tag : outcome?.error
      // A write is not retried within the last tenth of an attempt before its deadline.
      const hadTime =
        !clockWasSet &&
        endedMillis - startedMillis <
          Duration.toMillis(policy.deadline) - Duration.toMillis(policy.attemptTimeout) / 10
      if (
        hadTime &&
        error?.includes("UnauthorizedError") &&
        !mayEndRefused({ processEndsMillis, sent }, { endedMillis, name })
      ) {
        violations.push(`${name}: reported ${error} without trying a second token`)
      }
      // An interrupted call reports no number of attempts.
      if (outcome?._tag !== "Unknown" || outcome.attempts === undefined) continue
      // An attempt that timed out at its first step, when the clock jumped, was never sent.
      const unsent = clockWasSet && outcome.error === "OutcomeUnknown (TimeoutError)" ? 1 : 0
      if (outcome.attempts < writes.length || outcome.attempts > writes.length + unsent) {
        violations.push(`${name}: reported ${outcome.attempts} attempts, but made ${writes.length}`)
      }
      // A response at the very instant of the time limit may be too late.
      const inTime = ({ atMillis, closedMillis }: Sent.Sent) =>
        closedMillis - atMillis < Duration.toMillis(policy.attemptTimeout) &&
        closedMillis - startedMillis < Duration.toMillis(policy.deadline)
      const allSent = outcome.attempts === writes.length
      if (allSent && writes.every((one) => Sent.isRefusal(one) && inTime(one))) {
        violations.push(`${name}: reported unknown, but each attempt was refused`)
      }
      const last = writes.at(-1)
      if (!clockWasSet && last !== undefined && Sent.isReadable(last) && inTime(last)) {
        violations.push(`${name}: reported unknown after a readable success`)
      }
      if (outcome.key !== key) {
        violations.push(`${name}: reported the key ${outcome.key} instead of ${key}`)
      }
    }
  }
  return violations
}

/**
 * Whether the call tried a second token, or could not: its source pauses after two rejected tokens, and ends
 * with its process.
 */
export const mayEndRefused = (
  { processEndsMillis, sent }: Pick<Evidence, "processEndsMillis" | "sent">,
  { endedMillis, name }: Pick<Workload.Call, "endedMillis" | "name">
): boolean => {
  const own = sent.filter((one) => one.call === name && !Sent.isForToken(one))
  const process = own.at(-1)?.process
  if (process === undefined) return false
  const refused = own.filter(({ received }) => received === 401)
  return (
    new Set(refused.map(({ authorization }) => authorization)).size > 1 ||
    (processEndsMillis.get(process) ?? Infinity) <= endedMillis ||
    Tokens.isPaused(
      sent.filter((one) => one.process === process),
      endedMillis
    )
  )
}

/** Whether the call ended by itself at the time of its interruption: by a response or by a timeout. */
export const isLastStep = (
  { atMillis, closedMillis, received }: Sent.Sent,
  endedMillis: number,
  { policy }: Pick<Evidence, "policy">
): boolean =>
  closedMillis === endedMillis &&
  (typeof received === "number" ||
    endedMillis - atMillis >= Duration.toMillis(policy.attemptTimeout))

/** An interrupted write that was applied, or may have been, logs a warning. */
export const interruptionsLogged = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, instructions, logs, sent } = evidence
  return [
    ...logs.flatMap(({ level, message }) =>
      level === "WARN" ? [] : [`logged as ${level}: ${message}`]
    ),
    ...instructions.flatMap((instruction) =>
      instruction.calls.flatMap((call) => {
        const { endedMillis, name, outcome } = call
        if (outcome?._tag !== "Unknown" || outcome.error !== "Interrupted") return []
        const requests = sent.filter((one) => one.call === name && !Sent.isForToken(one))
        const writes = requests.filter(Sent.isWrite)
        if (writes.every(Sent.isRefusal)) return []
        const last = requests.at(-1)
        const hasRead = last !== undefined && !Sent.isWrite(last)
        const isWaiting =
          instruction.method.waits &&
          last !== undefined &&
          Sent.showsPending(last) &&
          endedMillis - (writes.at(-1)?.closedMillis ?? 0) < waitMillis
        const isRetrying =
          Workload.isKeyed(instruction) && !hasRead && mustRetry(call, writes, evidence)
        // A call that is interrupted in the step in which it ends logs nothing.
        const mayHaveEnded = clockWasSet || !(isWaiting || isRetrying)
        if (mayHaveEnded && last !== undefined && isLastStep(last, endedMillis, evidence)) return []
        const marks = Workload.isKeyed(instruction) ? [instruction.key] : [instruction.write]
        const names = Sent.namesIn(writes.at(-1)?.data)
        const expected = hasRead ? names : [...marks, ...names]
        return logs.some(
          (line) => line.call === name && expected.some((mark) => line.message.includes(mark))
        )
          ? []
          : [`${name}: interrupted after a write, without a warning`]
      })
    )
  ]
}
