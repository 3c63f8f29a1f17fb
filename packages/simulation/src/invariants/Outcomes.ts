/**
 * What a caller is told of a call is true of the requests of that call, and no write passes in
 * silence.
 */
import * as Duration from "effect/Duration"
import * as Workload from "../Workload.js"
import * as Sent from "../Sent.js"
import * as Books from "./Books.js"
import type { Evidence } from "./Evidence.js"
import { waitMillis } from "./Policy.js"
import { isTriedAgain } from "./Progress.js"

/** The outcome of each call is true of its own requests, those that came late included. */
export const outcomesOfCalls = ({
  clockWasSet,
  instructions,
  means,
  policy,
  sent
}: Evidence): ReadonlyArray<string> => {
  const violations: Array<string> = []
  for (const instruction of instructions) {
    for (const { endedMillis, name, startedMillis, outcome } of instruction.calls) {
      const writes = sent.filter((one) => one.call === name && Sent.isWrite(one))
      const applied = writes.some(({ answered }) => answered.some((status) => status < 300))
      if (outcome?._tag === "NotApplied" && applied) {
        violations.push(`${name}: told ${outcome.error}, not applied, and it was`)
      }
      if (outcome?._tag === "Applied" && !applied) {
        violations.push(`${name}: told applied, and the service never said so`)
      }
      const key = Workload.isKeyed(instruction) ? instruction.key : undefined
      const keyless = writes.find((one) => one.key !== key)
      if (keyless !== undefined) violations.push(`${name}: sent under the key ${keyless.key}`)
      if (outcome?._tag === "Applied" && writes.at(-1)?.mixedUp) {
        violations.push(`${name}: told applied, by the answer to another request`)
      }
      const own = Sent.namesIn(writes.at(-1)?.data)
      if (
        outcome?._tag === "Applied" &&
        own.length > 0 &&
        !own.some((one) => outcome.names.includes(one))
      ) {
        violations.push(`${name}: told applied, and not that it is ${own.join()}`)
      }
      if (outcome?._tag === "Applied") {
        const wanted = Workload.bodyOf(instruction, name, means)
        for (const what of Books.unlike(wanted, { ...outcome.shown })) {
          violations.push(`${name}: told of ${what}`)
        }
      }
      if (outcome?._tag === "Applied" && outcome.unreadable && outcome.unreadable.key !== key) {
        violations.push(`${name}: told of the key ${outcome.unreadable.key}, and it is ${key}`)
      }
      const end = outcome?._tag === "Applied" ? outcome.stopped?.tag : outcome?.error
      // A tenth of an attempt before its end a write is not begun again.
      const hadTime =
        !clockWasSet &&
        endedMillis - startedMillis <
          Duration.toMillis(policy.deadline) - Duration.toMillis(policy.attemptTimeout) / 10
      if (hadTime && end?.includes("UnauthorizedError") && !twiceRefused(sent, name)) {
        violations.push(`${name}: told ${end}, and no other token was tried`)
      }
      // Of an interrupted call nothing else is said.
      if (outcome?._tag !== "Unknown" || outcome.attempts === undefined) continue
      // One whose time ended with its first step, as the clock jumped, never left.
      const unsent = clockWasSet && outcome.error === "OutcomeUnknown (TimeoutError)" ? 1 : 0
      if (outcome.attempts < writes.length || outcome.attempts > writes.length + unsent) {
        violations.push(`${name}: told of ${outcome.attempts} attempts, and made ${writes.length}`)
      }
      // What comes with the last moment of its time may come too late.
      const inTime = ({ atMillis, closedMillis }: Sent.Sent) =>
        closedMillis - atMillis < Duration.toMillis(policy.attemptTimeout) &&
        closedMillis - startedMillis < Duration.toMillis(policy.deadline)
      const isWhole = outcome.attempts === writes.length
      if (isWhole && writes.every((one) => Sent.isRefusal(one) && inTime(one))) {
        violations.push(`${name}: told unknown, and each attempt was refused`)
      }
      const last = writes.at(-1)
      if (!clockWasSet && last !== undefined && Sent.isReadable(last) && inTime(last)) {
        violations.push(`${name}: told unknown, and heard that it was applied`)
      }
      if (outcome.key !== key)
        violations.push(`${name}: told to go on with ${outcome.key}, not ${key}`)
    }
  }
  return violations
}

/** Whether the last of the requests that a call sends and retries was refused with two tokens. */
const twiceRefused = (sent: Evidence["sent"], name: string): boolean => {
  const own = sent.filter((one) => one.call === name && !Sent.isForToken(one))
  const last = own.filter(({ span }) => span === own.at(-1)?.span)
  return new Set(last.flatMap((one) => (one.heard === 401 ? [one.authorization] : []))).size > 1
}

/** An interruption does not pass in silence over a write that was, or may have been applied. */
export const told = (evidence: Evidence): ReadonlyArray<string> => {
  const { clockWasSet, instructions, logs, sent } = evidence
  return [
    ...logs.flatMap(({ level, message }) =>
      level === "WARN" ? [] : [`logged as ${level}: ${message}`]
    ),
    ...instructions.flatMap((instruction) =>
      instruction.calls.flatMap((one) => {
        const { endedMillis, name, outcome } = one
        if (outcome?._tag !== "Unknown" || outcome.error !== "Interrupted") return []
        const own = sent.filter((one) => one.call === name && !Sent.isForToken(one))
        const writes = own.filter(Sent.isWrite)
        if (writes.every(Sent.isRefusal)) return []
        const last = own.at(-1)
        const followed = last !== undefined && !Sent.isWrite(last)
        const waitsOn =
          Workload.waits(instruction) &&
          last !== undefined &&
          Sent.showsPending(last) &&
          endedMillis - (writes.at(-1)?.closedMillis ?? 0) < waitMillis
        const triesOn =
          Workload.isKeyed(instruction) && !followed && isTriedAgain(one, writes, evidence)
        // In the very step in which it ends, nobody is there to be told.
        const mayHaveEnded = clockWasSet || !(waitsOn || triesOn)
        const isThatStep = typeof last?.heard === "number" && last.closedMillis === endedMillis
        if (mayHaveEnded && isThatStep) return []
        const marks = Workload.isKeyed(instruction) ? [instruction.key] : ["PaymentLinks.create"]
        const names = Sent.namesIn(writes.at(-1)?.data)
        const wanted = followed ? names : [...marks, ...names]
        return logs.some(
          ({ call, message }) => call === name && wanted.some((mark) => message.includes(mark))
        )
          ? []
          : [`${name}: interrupted after it was sent, in silence`]
      })
    )
  ]
}
