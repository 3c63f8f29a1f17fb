/**
 * What a caller is told of a call is true of the requests of that call, and no write passes in
 * silence.
 */
import * as Duration from "effect/Duration"
import * as Intentions from "../Intentions.js"
import * as Sent from "../Sent.js"
import * as Books from "./Books.js"
import type { Evidence } from "./Evidence.js"
import { waitMillis } from "./Policy.js"
import { isTriedAgain } from "./Progress.js"

/** The word of each call is true of its own requests, those that came late included. */
export const wordsOfCalls = ({
  clockWasSet,
  intentions,
  means,
  policy,
  sent
}: Evidence): ReadonlyArray<string> => {
  const violations: Array<string> = []
  for (const intention of intentions) {
    for (const { endedMillis, name, startedMillis, word } of intention.calls) {
      const writes = sent.filter((one) => one.call === name && Sent.isWrite(one))
      const applied = writes.some(({ answered }) => answered.some((status) => status < 300))
      if (word?._tag === "NotApplied" && applied) {
        violations.push(`${name}: told ${word.error}, not applied, and it was`)
      }
      if (word?._tag === "Applied" && !applied) {
        violations.push(`${name}: told applied, and the service never said so`)
      }
      const key = Intentions.isKeyed(intention) ? intention.key : undefined
      const keyless = writes.find((one) => one.key !== key)
      if (keyless !== undefined) violations.push(`${name}: sent under the key ${keyless.key}`)
      if (word?._tag === "Applied" && writes.at(-1)?.mixedUp) {
        violations.push(`${name}: told applied, by the answer to another request`)
      }
      const own = Sent.namesIn(writes.at(-1)?.data)
      if (
        word?._tag === "Applied" &&
        own.length > 0 &&
        !own.some((one) => word.names.includes(one))
      ) {
        violations.push(`${name}: told applied, and not that it is ${own.join()}`)
      }
      if (word?._tag === "Applied") {
        const wanted = Intentions.bodyOf(intention, name, means)
        for (const what of Books.unlike(wanted, { ...word.shown })) {
          violations.push(`${name}: told of ${what}`)
        }
      }
      if (word?._tag === "Applied" && word.unreadable && word.unreadable.key !== key) {
        violations.push(`${name}: told of the key ${word.unreadable.key}, and it is ${key}`)
      }
      const end = word?._tag === "Applied" ? word.stopped?.tag : word?.error
      // A tenth of an attempt before its end a write is not begun again.
      const hadTime =
        !clockWasSet &&
        endedMillis - startedMillis <
          Duration.toMillis(policy.deadline) - Duration.toMillis(policy.attemptTimeout) / 10
      if (hadTime && end?.includes("UnauthorizedError") && !twiceRefused(sent, name)) {
        violations.push(`${name}: told ${end}, and no other token was tried`)
      }
      // Of an interrupted call nothing else is said.
      if (word?._tag !== "Unknown" || word.attempts === undefined) continue
      // One whose time ended with its first step, as the clock jumped, never left.
      const unsent = clockWasSet && word.error === "OutcomeUnknown (TimeoutError)" ? 1 : 0
      if (word.attempts < writes.length || word.attempts > writes.length + unsent) {
        violations.push(`${name}: told of ${word.attempts} attempts, and made ${writes.length}`)
      }
      // What comes with the last moment of its time may come too late.
      const inTime = ({ atMillis, closedMillis }: Sent.Sent) =>
        closedMillis - atMillis < Duration.toMillis(policy.attemptTimeout) &&
        closedMillis - startedMillis < Duration.toMillis(policy.deadline)
      const isWhole = word.attempts === writes.length
      if (isWhole && writes.every((one) => Sent.isRefusal(one) && inTime(one))) {
        violations.push(`${name}: told unknown, and each attempt was refused`)
      }
      const last = writes.at(-1)
      if (!clockWasSet && last !== undefined && Sent.isReadable(last) && inTime(last)) {
        violations.push(`${name}: told unknown, and heard that it was applied`)
      }
      if (word.key !== key) violations.push(`${name}: told to go on with ${word.key}, not ${key}`)
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
  const { clockWasSet, intentions, logs, sent } = evidence
  return [
    ...logs.flatMap(({ level, message }) =>
      level === "WARN" ? [] : [`logged as ${level}: ${message}`]
    ),
    ...intentions.flatMap((intention) =>
      intention.calls.flatMap((one) => {
        const { endedMillis, name, word } = one
        if (word?._tag !== "Unknown" || word.error !== "Interrupted") return []
        const own = sent.filter((one) => one.call === name && !Sent.isForToken(one))
        const writes = own.filter(Sent.isWrite)
        if (writes.every(Sent.isRefusal)) return []
        const last = own.at(-1)
        const followed = last !== undefined && !Sent.isWrite(last)
        const waitsOn =
          Intentions.waits(intention) &&
          last !== undefined &&
          Sent.showsPending(last) &&
          endedMillis - (writes.at(-1)?.closedMillis ?? 0) < waitMillis
        const triesOn =
          Intentions.isKeyed(intention) && !followed && isTriedAgain(one, writes, evidence)
        // In the very step in which it ends, nobody is there to be told.
        const mayHaveEnded = clockWasSet || !(waitsOn || triesOn)
        const isThatStep = typeof last?.heard === "number" && last.closedMillis === endedMillis
        if (mayHaveEnded && isThatStep) return []
        const marks = Intentions.isKeyed(intention) ? [intention.key] : ["PaymentLinks.create"]
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
