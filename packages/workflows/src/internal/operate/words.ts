import * as Errors from "@manilla/core/Errors"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Execution from "../../Execution.js"
import type * as store from "../engine/store.js"
import * as transitions from "../engine/transitions.js"

/** A moment as people in the time zone of this process write it, such as `2026-11-24 14:03:07`. */
export const moment = (millis: number): string => new Date(millis).toLocaleString("sv-SE")

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000]
] as const

/** Such as `2 h 5 min`. */
export const span = (millis: number): string => {
  const i = units.findIndex(([, size]) => millis >= size)
  const [unit, size] = units[i] ?? ["s", 1_000]
  const [smaller, part] = units[i + 1] ?? ["", size]
  const rest = Math.floor((millis % size) / part)
  const first = `${Math.floor(millis / size)} ${unit}`
  return rest === 0 || i < 0 ? first : `${first} ${rest} ${smaller}`
}

const distance = (millis: number, now: number): string =>
  millis >= now ? `in ${span(millis - now)}` : `${span(now - millis)} ago`

const at = (millis: number, now: number): string => `${moment(millis)} (${distance(millis, now)})`

/** An execution with this lateness is about to be woken, if a process runs. */
const lateMillis = 30_000

/** In few words for a list, and as a sentence. */
export interface Words {
  readonly brief: string
  readonly text: string
}

const same = (text: string): Words => ({ brief: text, text })

const ends: Record<Execution.EndState, string> = {
  Succeeded: "ended with a result",
  Failed: "failed",
  Died: "ended with a defect"
}

/** Why an execution waits, until when, and what it does next. */
export const state = (execution: Execution.Status, now: number): Words => {
  const { dueMillis, end, isCancelRequested, pause } = execution
  if (end !== undefined) return same(`${ends[end.state]} ${distance(end.atMillis, now)}`)
  if (pause === transitions.unreadable)
    return same("waits for a process whose schema its payload fits")
  const interrupted = isCancelRequested ? " It is to be interrupted." : ""
  if (pause === transitions.signal) return same("waits for a signal")
  if (pause === undefined) {
    return {
      brief: "runs",
      text: `It runs, or did so when its process stopped.${interrupted}`
    }
  }
  const [kind, ...parts] = pause.split("/")
  if (kind === transitions.child) return same("waits for an execution that it has started")
  const [why, next] =
    kind === "carry-on"
      ? [`${parts.slice(0, -1).join("/")} has no clear answer yet.`, "sends again"]
      : kind === "wait"
        ? ["It has no final status yet.", "looks again"]
        : [`It sleeps (${parts.join("/")}).`, "continues"]
  const when =
    dueMillis === 0
      ? ["when taken up", "as soon as a process takes it up"]
      : dueMillis < now - lateMillis
        ? ["late", `, but no process has taken it up since ${at(dueMillis, now)}`]
        : [distance(dueMillis, now), at(dueMillis, now)]
  const sameKey = kind === "carry-on" ? " the same request with the same key" : ""
  return {
    brief: `${next} ${when[0]}`,
    text: `${why} It ${next}${sameKey} ${when[1]}.${interrupted}`.replace(" ,", ",")
  }
}

/** The members of a stored resource that an operator sees. Others may be personal data. */
const shown = ["reference", "id", "status", "amount", "currency"] as const

const resource = (value: unknown): string =>
  Predicate.isRecord(value)
    ? shown.flatMap((name) => (name in value ? [`${name} ${String(value[name])}`] : [])).join(", ")
    : ""

const decodeError = Schema.decodeUnknownOption(
  Schema.Union(...Errors.KeyedWriteError.members, Execution.ExecutionCancelled)
)

/** The clients remove secrets and phone numbers from the messages of their errors, and only from those. */
const error = (value: unknown): string =>
  Option.match(decodeError(value), {
    onSome: (known) => `${known._tag}: ${known.message}`,
    onNone: () =>
      Predicate.isRecord(value) && Predicate.isString(value["_tag"]) ? value["_tag"] : "an error"
  })

const failure = (exit: unknown): string => {
  const cause = Predicate.isRecord(exit) ? exit["cause"] : undefined
  return Predicate.isRecord(cause) && cause["_tag"] === "Fail" ? error(cause["error"]) : "a defect"
}

export interface Event {
  readonly atMillis: number
  readonly text: string
}

const millisOf = (value: Readonly<Record<string, unknown>>, name: string): number =>
  Number(value[name] ?? 0)

/** The result of a step in words. */
const stepEvent = ({ exit: json, name, storedMillis }: store.Step): Event => {
  const exit: unknown = JSON.parse(json)
  const [kind, ...parts] = name.split("/")
  const isRound = kind === "begin" || kind === "write" || kind === "look"
  const subject = parts.slice(0, isRound ? -2 : -1).join("/")
  const round = isRound
    ? `, ${kind === "look" ? "look" : "request"} ${Number(parts.at(-2)) + 1}`
    : ""
  const event = (text: string): Event => ({
    atMillis: storedMillis,
    text: `${subject}${round}: ${text}`
  })
  if (!Predicate.isRecord(exit) || exit["_tag"] !== "Success") {
    return event(`ended with ${failure(exit)}`)
  }
  const value = Predicate.isRecord(exit["value"]) ? exit["value"] : {}
  const pauses = (why: string) =>
    event(`${why}; pauses for ${span(millisOf(value, "pauseMillis"))}`)
  if (kind === "begin") return event("sent")
  if (kind === "cancelled") return event("saw the interrupt")
  switch (isRound ? value["_tag"] : undefined) {
    case "Created":
      return event(`answered: ${resource(value["resource"])}`)
    case "Open":
      return pauses(error(value["error"]))
    case "Pending":
      return pauses("no final status yet")
    case "Done":
      return event(`final: ${resource(value["value"])}`)
    case "Expired":
      return event(`gave up after ${span(millisOf(value, "waitedMillis"))}`)
    case "Cancelled":
      return event("saw the interrupt")
    default:
      return event("done")
  }
}

/** The history of an execution, in order. */
export const events = (
  { end, exit, startedMillis }: Execution.Execution,
  steps: ReadonlyArray<store.Step>
): ReadonlyArray<Event> => {
  const last = (state: Execution.EndState) =>
    state === "Succeeded"
      ? "ended with a result"
      : `ended with ${failure(JSON.parse(exit ?? "null"))}`
  return [
    { atMillis: startedMillis, text: "started" },
    ...steps.map(stepEvent),
    ...(end === undefined ? [] : [{ atMillis: end.atMillis, text: last(end.state) }])
  ]
}
