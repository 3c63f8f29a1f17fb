/**
 * Nobody gives up too soon, and once nothing goes wrong everything is done.
 */
import * as Duration from "effect/Duration"
import * as Workload from "../Workload.js"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"
import { waitMillis } from "./Policy.js"

/** What may keep a token away for a time. */
const passing = [
  "TransportError",
  "RateLimitError",
  "ServerError",
  "TimeoutError",
  "MalformedResponseError"
]

/** The longest back-off, and what is added to what the service asks for. */
const longestPauseMillis = 11_000

/** Whether there is another attempt after the last of these, which are of one call with a key. */
export const isTriedAgain = (
  { endedMillis, startedMillis }: Pick<Workload.Call, "endedMillis" | "startedMillis">,
  writes: ReadonlyArray<Sent.Sent>,
  { policy, sent }: Pick<Evidence, "policy" | "sent">
): boolean => {
  const last = writes.at(-1)
  if (last === undefined || !Sent.isPassing(last)) return false
  const renewed = writes.slice(0, -1).some(({ heard }) => heard === 401) ? 1 : 0
  const pauseMillis = (last.retryAfterMillis ?? 0) + longestPauseMillis
  // Each that failed before took one retry at most: as few leave the budget something.
  const failed = sent.filter(
    (one) =>
      one.process === last.process &&
      one.closedMillis <= endedMillis &&
      !Sent.isForToken(one) &&
      (Sent.isPassing(one) || one.mixedUp)
  )
  return (
    writes.length - renewed < policy.attempts &&
    failed.length <= policy.budget &&
    endedMillis - startedMillis + pauseMillis < Duration.toMillis(policy.deadline)
  )
}

/** What can be tried again is, while there are attempts and time; and a wait goes on until its end. */
export const wentOn = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, instructions, sent } = evidence
  if (clockWasSet) return []
  const violations: Array<string> = []
  for (const instruction of instructions.filter(Workload.isKeyed)) {
    for (const call of instruction.calls) {
      const { endedMillis, name, startedMillis, outcome } = call
      const own = sent.filter((one) => one.call === name && !Sent.isForToken(one))
      const writes = own.filter(Sent.isWrite)
      const last = own.at(-1)
      if (outcome === undefined || last === undefined) continue
      if (outcome._tag === "Applied") {
        const stopped = outcome.stopped
        if (stopped === undefined) continue
        const mendable =
          stopped.tag === "TokenUnavailableError"
            ? stopped.tokenless !== undefined && passing.includes(stopped.tokenless)
            : // What was made is there, though a read that is behind may not know it.
              Sent.isPassing(last) || last.heard === 404
        const waitedMillis = endedMillis - (writes.at(-1)?.closedMillis ?? startedMillis)
        if (mendable && waitedMillis < waitMillis) {
          violations.push(`${name}: waited ${waitedMillis} ms, and stopped at ${stopped.tag}`)
        }
        continue
      }
      // Interrupted, or with no token to go on with: it could not.
      if (/Interrupted|TokenUnavailableError/.test(outcome.error)) continue
      if (isTriedAgain(call, writes, evidence)) {
        violations.push(`${name}: gave up after ${writes.length} attempts, with time left`)
      }
    }
  }
  return violations
}

/** Once nothing goes wrong, only the rules of the service are in the way: of what wallets pay for. */
export const calm = ({ calmMillis, instructions }: Evidence): ReadonlyArray<string> =>
  instructions.flatMap((instruction) =>
    instruction.calls.flatMap(({ name, startedMillis, outcome }) => {
      if (startedMillis <= calmMillis) return []
      if (outcome?._tag === "Applied") {
        if (outcome.unreadable !== undefined) return [`${name}: told unreadable in the calm`]
        return outcome.stopped === undefined
          ? []
          : [`${name}: told ${outcome.stopped.tag} in the calm`]
      }
      return outcome?.error === "UnprocessableError" && Workload.isPaidFor(instruction)
        ? []
        : [`${name}: told ${outcome?.error ?? "nothing"} in the calm`]
    })
  )
