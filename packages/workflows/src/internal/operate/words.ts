import * as Errors from "@manilla/core/Errors"
import * as Execution from "@manilla/workflow-engine/Execution"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as names from "../names.js"
import { WriteError } from "../write.js"

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

/** With the time zone, because a page shows it too. */
const at = (millis: number, now: number): string =>
  `${new Date(millis).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "long" })} (${distance(millis, now)})`

/** An execution with this lateness is about to be woken, if a process runs. */
const lateMillis = 30_000

/** In few words for a list, and as a sentence. */
export interface Words {
  readonly brief: string
  readonly text: string
}

export const said = (brief: string, more = ""): Words => ({ brief, text: `It ${brief}.${more}` })

const ends: Record<Execution.EndState, string> = {
  Succeeded: "ended with a result",
  Failed: "failed",
  Died: "ended with a defect"
}

/** Why an execution waits, until when, and what it does next. */
export const state = (execution: Execution.Status, now: number): Words => {
  const { dueMillis, end, isCancelRequested, isPurged, pause } = execution
  if (end !== undefined) {
    const purged = isPurged ? " Its payload, its result and its steps were purged." : ""
    return said(`${ends[end.state]} ${distance(end.atMillis, now)}`, purged)
  }
  if (pause === Execution.Pause.unreadable)
    return said("waits for a process with a schema that fits")
  const interrupted = isCancelRequested ? " It is to be interrupted." : ""
  if (pause === Execution.Pause.signal && dueMillis === Execution.never) {
    return said("waits for a signal")
  }
  if (pause === undefined) {
    return {
      brief: "runs",
      text: `It runs, or did so when its process stopped.${interrupted}`
    }
  }
  if (pause.startsWith(`${Execution.Pause.child}/`)) {
    return said("waits for an execution that it has started")
  }
  // Those of the blocks: others are those of a user.
  const [, kind, block] = names.pausePattern.exec(pause) ?? []
  const [why, next] =
    kind === "carry-on"
      ? [`${block} has no clear answer yet.`, "sends again"]
      : kind === "wait"
        ? ["It has no final status yet.", "looks again"]
        : [`It sleeps (${pause.replace(/^sleep\//, "")}).`, "continues"]
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
const shown = ["status", "amount", "currency", "reference", "id"] as const

const resource = (value: unknown): string =>
  Predicate.isRecord(value)
    ? shown.flatMap((name) => (name in value ? [`${name} ${String(value[name])}`] : [])).join(", ")
    : ""

const decodeError = Schema.decodeUnknownOption(WriteError)

interface Said {
  readonly text: string
  /** The resource, or the message of the error. */
  readonly detail?: string
  readonly tone?: "good" | "bad"
  /** The outcome of the write that ended with the error. */
  readonly outcome?: Errors.Outcome
  /** The pause that follows. */
  readonly pauseMillis?: number
}

/** The clients remove secrets and phone numbers from the messages of their errors, and only from those. */
const error = (value: unknown): Said =>
  Option.match(decodeError(value), {
    onSome: (known) => ({
      text: known._tag,
      detail: known.message,
      outcome: Errors.outcome(known),
      tone: "bad"
    }),
    onNone: () => ({
      text:
        Predicate.isRecord(value) && Predicate.isString(value["_tag"]) ? value["_tag"] : "an error",
      tone: "bad"
    })
  })

const decodeCause = Schema.decodeUnknownOption(
  Schema.Cause({ error: Schema.Unknown, defect: Schema.Unknown })
)

const failure = (exit: unknown): Said => {
  const cause = Option.getOrElse(
    decodeCause(Predicate.isRecord(exit) ? exit["cause"] : undefined),
    () => Cause.die(exit)
  )
  if (Cause.isInterruptedOnly(cause)) return { text: "ended because it was interrupted" }
  const said: Said = Option.match(Cause.failureOption(cause), {
    onSome: error,
    onNone: () => ({ text: "a defect", tone: "bad" })
  })
  return { ...said, text: `ended with ${said.text}` }
}

/** Something that happened to an execution. */
export interface Event extends Said {
  readonly atMillis: number
  readonly kind: "started" | "sent" | "answered" | "looked" | "step" | "ended"
  /** Such as `Payouts.create, request 1`. Empty if it is about the whole execution. */
  readonly step: string
}

/** An event as a line. */
export const line = ({ detail = "", pauseMillis, step, text }: Event): string => {
  const pause = pauseMillis === undefined ? "" : `; pauses for ${span(pauseMillis)}`
  return `${[step, text, detail].filter((part) => part !== "").join(": ")}${pause}`
}

const millisOf = (value: Readonly<Record<string, unknown>>, name: string): number =>
  Number(value[name] ?? 0)

/** The result of one round of a step: a request or a look. */
const roundSaid = (value: Readonly<Record<string, unknown>>): Said => {
  const pauseMillis = millisOf(value, "pauseMillis")
  switch (value["_tag"]) {
    case "Created":
      return { text: "answered", detail: resource(value["resource"]), tone: "good" }
    case "Open":
      return { ...error(value["error"]), pauseMillis }
    case "Pending":
      return { text: "no final status yet", pauseMillis }
    case "Done":
      return { text: "final", detail: resource(value["value"]) }
    case "Expired":
      return { text: `gave up after ${span(millisOf(value, "waitedMillis"))}`, tone: "bad" }
    case "Cancelled":
      return { text: "saw the interrupt" }
    default:
      return { text: "done" }
  }
}

const kinds: Readonly<Record<string, Event["kind"]>> = {
  begin: "sent",
  write: "answered",
  look: "looked"
}

const stepEvent = ({ exit: json, name, storedMillis }: Store.Step): Event => {
  const exit: unknown = JSON.parse(json)
  const [, prefix = "", block = name, round] =
    names.roundPattern.exec(name) ?? names.stepPattern.exec(name) ?? []
  const isRound = round !== undefined
  const kind = isRound ? (kinds[prefix] ?? "step") : "step"
  const count = `, ${kind === "looked" ? "look" : "request"} ${Number(round) + 1}`
  const step = isRound ? `${block}${count}` : block
  const said = (): Said => {
    if (!Predicate.isRecord(exit) || exit["_tag"] !== "Success") return failure(exit)
    if (prefix === "begin") return { text: "sent" }
    if (prefix === "cancelled") return { text: "saw the interrupt" }
    if (prefix === "compensating") {
      const why = "is not undone, because money was moved, or may have been"
      return { text: exit["value"] === true ? why : "is undone" }
    }
    if (prefix === Execution.Pause.child)
      return { text: name.endsWith("/begun") ? "started" : "ended" }
    return isRound && Predicate.isRecord(exit["value"])
      ? roundSaid(exit["value"])
      : { text: "done" }
  }
  return { atMillis: storedMillis, kind, step, ...said() }
}

/** The history of an execution, in order. */
export const events = (
  { end, exit, isPurged, startedMillis }: Execution.Execution,
  steps: ReadonlyArray<Store.Step>
): ReadonlyArray<Event> => {
  const last = (state: Execution.EndState): Said => {
    if (state === "Succeeded") return { text: ends[state] }
    if (isPurged) return { text: `${ends[state]}; its error was purged`, tone: "bad" }
    return failure(JSON.parse(exit ?? "null"))
  }
  return [
    { atMillis: startedMillis, kind: "started", step: "", text: "started" },
    ...steps.map(stepEvent),
    ...(end === undefined
      ? []
      : [{ atMillis: end.atMillis, kind: "ended" as const, step: "", ...last(end.state) }])
  ]
}
