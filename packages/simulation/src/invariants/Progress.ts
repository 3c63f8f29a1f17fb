/**
 * Nobody gives up too soon, and once nothing goes wrong everything is done.
 */
import * as Duration from "effect/Duration"
import * as Intentions from "../Intentions.js"
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
  { endedMillis, startedMillis }: Pick<Intentions.Call, "endedMillis" | "startedMillis">,
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
  const { clockWasSet, intentions, sent } = evidence
  if (clockWasSet) return []
  const violations: Array<string> = []
  for (const intention of intentions.filter(Intentions.isKeyed)) {
    for (const call of intention.calls) {
      const { endedMillis, name, startedMillis, word } = call
      const own = sent.filter((one) => one.call === name && !Sent.isForToken(one))
      const writes = own.filter(Sent.isWrite)
      const last = own.at(-1)
      if (word === undefined || last === undefined) continue
      if (word._tag === "Applied") {
        const stopped = word.stopped
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
      if (/Interrupted|TokenUnavailableError/.test(word.error)) continue
      if (isTriedAgain(call, writes, evidence)) {
        violations.push(`${name}: gave up after ${writes.length} attempts, with time left`)
      }
    }
  }
  return violations
}

/** Once nothing goes wrong, only the rules of the service are in the way: of what wallets pay for. */
export const calm = ({ calmMillis, intentions }: Evidence): ReadonlyArray<string> =>
  intentions.flatMap((intention) =>
    intention.calls.flatMap(({ name, startedMillis, word }) => {
      if (startedMillis <= calmMillis) return []
      if (word?._tag === "Applied") {
        if (word.unreadable !== undefined) return [`${name}: told unreadable in the calm`]
        return word.stopped === undefined ? [] : [`${name}: told ${word.stopped.tag} in the calm`]
      }
      return word?.error === "UnprocessableError" && Intentions.isPaidFor(intention)
        ? []
        : [`${name}: told ${word?.error ?? "nothing"} in the calm`]
    })
  )
