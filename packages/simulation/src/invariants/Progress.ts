/**
 * No call gives up too early, and every call succeeds once the faults have stopped.
 */
import * as Duration from "effect/Duration"
import * as Workload from "../Workload.js"
import * as Writes from "../Writes.js"
import * as Sent from "../Sent.js"
import type { Evidence } from "./Evidence.js"
import { waitMillis } from "./Policy.js"

/** Transient causes of a `TokenUnavailableError`. */
const transient = [
  "TransportError",
  "RateLimitError",
  "ServerError",
  "TimeoutError",
  "MalformedResponseError"
]

/** The longest back-off, plus the jitter added to `Retry-After`. */
const longestDelayMillis = 11_000

/** Whether the policy requires another attempt after these attempts of one call with a key. */
export const mustRetry = (
  { endedMillis, startedMillis }: Pick<Workload.Call, "endedMillis" | "startedMillis">,
  writes: ReadonlyArray<Sent.Sent>,
  { policy, sent }: Pick<Evidence, "policy" | "sent">
): boolean => {
  const last = writes.at(-1)
  if (last === undefined || !Sent.isTransient(last)) return false
  const renewed = writes.slice(0, -1).some(({ received }) => received === 401) ? 1 : 0
  const delayMillis = (last.retryAfterMillis ?? 0) + longestDelayMillis
  // Each failure took at most one retry, so fewer failures than the budget leave some of it.
  const failed = sent.filter(
    (one) =>
      one.process === last.process &&
      one.closedMillis <= endedMillis &&
      !Sent.isForToken(one) &&
      (Sent.isTransient(one) || one.mismatched)
  )
  return (
    writes.length - renewed < policy.attempts &&
    failed.length <= policy.budget &&
    endedMillis - startedMillis + delayMillis < Duration.toMillis(policy.deadline)
  )
}

/** Whether two responses under one key were about another resource. */
export const mayBeReused = (writes: ReadonlyArray<Sent.Sent>): boolean =>
  writes.filter(({ mismatched }) => mismatched).length > 1

/** A call retries while attempts, time and budget last, and a wait lasts until its deadline. */
export const retriesWhilePossible = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, instructions, sent } = evidence
  if (clockWasSet) return []
  const violations: Array<string> = []
  for (const instruction of instructions.filter(Workload.isKeyed)) {
    for (const call of instruction.calls) {
      const { endedMillis, name, startedMillis, outcome } = call
      const requests = sent.filter((one) => one.call === name && !Sent.isForToken(one))
      const writes = requests.filter(Sent.isWrite)
      const last = requests.at(-1)
      if (outcome === undefined || last === undefined) continue
      if (outcome._tag === "Applied") {
        const stopped = outcome.stopped
        if (stopped === undefined) continue
        const canRecover =
          stopped.tag === "TokenUnavailableError"
            ? stopped.tokenCause !== undefined && transient.includes(stopped.tokenCause)
            : // The resource exists, though a stale replica may answer 404.
              Sent.isTransient(last) || last.received === 404
        const waitedMillis = endedMillis - (writes.at(-1)?.closedMillis ?? startedMillis)
        if (canRecover && waitedMillis < waitMillis) {
          violations.push(`${name}: stopped waiting after ${waitedMillis} ms: ${stopped.tag}`)
        }
        continue
      }
      // An interrupted call, or one without a token, cannot retry.
      if (/Interrupted|TokenUnavailableError/.test(outcome.error)) continue
      if (outcome.error === "KeyReused") {
        if (!mayBeReused(writes)) violations.push(`${name}: KeyReused without two mismatches`)
        continue
      }
      if (mustRetry(call, writes, evidence)) {
        violations.push(`${name}: gave up after ${writes.length} attempts with time left`)
      }
    }
  }
  return violations
}

/** After the faults have stopped, a call may only fail for lack of funds in a wallet. */
export const recovers = ({ calmMillis, instructions }: Evidence): ReadonlyArray<string> =>
  instructions.flatMap((instruction) =>
    instruction.calls.flatMap(({ name, startedMillis, outcome }) => {
      if (startedMillis <= calmMillis) return []
      if (outcome?._tag === "Applied") {
        if (outcome.unreadable !== undefined)
          return [`${name}: reported an unreadable response without faults`]
        return outcome.stopped === undefined
          ? []
          : [`${name}: reported ${outcome.stopped.tag} without faults`]
      }
      const isRefused = outcome?._tag === "NotApplied" && outcome.code === "INSUFFICIENT_FUNDS"
      return isRefused && Writes.all[instruction.write].debitsWallet
        ? []
        : [`${name}: reported ${outcome?.error ?? "nothing"} without faults`]
    })
  )
