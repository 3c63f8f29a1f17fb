/** Rows in doubt in words: what the service responds with, and when their requests are sent again. */
import type * as Batch from "@manilla/workflows/Batch"
import * as Arr from "effect/Array"
import * as Predicate from "effect/Predicate"
import * as output from "../output.js"
import type { Words } from "./words.js"

type Failure = NonNullable<Batch.Doubt["error"]>

/** The last response, which says nothing about an earlier request. */
const lastOf = (error: Failure) => (error._tag === "OutcomeUnknown" ? error.cause : error)

/** A field of the last response. */
export const said = (error: Failure, name: "code" | "serviceMessage" | "status") => {
  const last = lastOf(error)
  return Predicate.hasProperty(last, name) && last[name] !== undefined
    ? output.text(last[name])
    : undefined
}

/** Such as `INSUFFICIENT_FUNDS`, or the status; none without a response. */
export const codeOf = (error: Failure, words: Words): string | undefined => {
  const status = said(error, "status")
  return status && (said(error, "code") ?? words.status(status)).slice(0, 40)
}

/** Such as `the service responds with INSUFFICIENT_FUNDS`, which says nothing about an earlier request. */
export const answer = ({ error }: Pick<Batch.Doubt, "error">, words: Words): string => {
  if (error === undefined) return words.noResponseYet
  const code = codeOf(error, words)
  return code === undefined ? words.noResponse : words.responds(code)
}

const next = (doubts: ReadonlyArray<Batch.Doubt>, now: number, words: Words): string => {
  const times = doubts.flatMap(({ nextMillis }) => (nextMillis === undefined ? [] : [nextMillis]))
  if (times.length === 0) return words.isTried
  const seconds = Math.max(0, Math.ceil((Math.min(...times) - now) / 1_000))
  return seconds < 120 ? words.nextSeconds(seconds) : words.nextMinutes(Math.ceil(seconds / 60))
}

export interface Line {
  /** Without the time, which changes all the time. */
  readonly subject: string
  readonly text: string
}

/** A line for each response, such as `10 in doubt: the service responds with X (the money may have moved); next try in 40 s`. */
export const lines = (
  doubts: ReadonlyArray<Batch.Doubt>,
  now: number,
  words: Words
): ReadonlyArray<Line> =>
  Object.entries(Arr.groupBy(doubts, (doubt) => answer(doubt, words))).map(([answer, same]) => {
    const subject = words.inDoubt(same.length, answer)
    return { subject, text: words.withNext(subject, next(same, now, words)) }
  })
