/** Rows in doubt in words: what the service answers, and when their requests are sent again. */
import type * as Batch from "@manilla/workflows/Batch"
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import * as output from "../output.js"

type Failure = NonNullable<Batch.Doubt["error"]>

/** The last response, which says nothing about an earlier request. */
const lastOf = (error: Failure) => (error._tag === "OutcomeUnknown" ? error.cause : error)

/**
 * Whether the key belongs to another request, which may have paid the row. The interface does not list its error codes:
 * any that is about keys counts.
 */
export const isOfOther = (error: Failure): boolean => {
  const last = lastOf(error)
  return last._tag === "KeyReused" || ("code" in last && /IDEMPOTENCY/i.test(last.code ?? ""))
}

/** Such as `the service responds with INSUFFICIENT_FUNDS`, which says nothing about an earlier request. */
export const answer = ({ error }: Pick<Batch.Doubt, "error">): string => {
  if (error === undefined) return "no response yet"
  const last = lastOf(error)
  const has = (name: "code" | "status") =>
    Predicate.hasProperty(last, name) && last[name] !== undefined ? String(last[name]) : undefined
  const status = has("status")
  if (status === undefined) return "the service does not respond"
  return `the service responds with ${output.text(has("code") ?? `status ${status}`).slice(0, 40)}`
}

const next = (doubts: ReadonlyArray<Batch.Doubt>, now: number): string => {
  const times = doubts.flatMap(({ nextMillis }) => (nextMillis === undefined ? [] : [nextMillis]))
  if (times.length === 0) return "it is being tried"
  const seconds = Math.max(0, Math.ceil((Math.min(...times) - now) / 1_000))
  return seconds < 120 ? `next try in ${seconds} s` : `next try in ${Math.ceil(seconds / 60)} min`
}

export interface Line {
  /** Without the time, which changes all the time. */
  readonly subject: string
  readonly text: string
}

/** A line for each response, such as `10 in doubt: the service responds with X (the money may have moved); next try in 40 s`. */
export const lines = (doubts: ReadonlyArray<Batch.Doubt>, now: number): ReadonlyArray<Line> =>
  Object.entries(Arr.groupBy(doubts, answer)).map(([answer, same]) => {
    const subject = `${same.length} in doubt: ${answer} (the money may have moved)`
    return { subject, text: `${subject}; ${next(same, now)}` }
  })
