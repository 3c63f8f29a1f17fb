import * as Errors from "@manilla/core/Errors"
import { exitJson } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Names from "@manilla/workflow-engine/Names"
import type * as Store from "@manilla/workflow-engine/Store"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { WriteError } from "../write.js"
import { distance, span } from "./times.js"

/** With the time zone, because a page shows it too. */
const at = (millis: number, now: number): string =>
  `${new Date(millis).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "long" })} (${distance(millis, now)})`

/** An execution that is due for less than this is on time: a process takes it up soon. */
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

const { failed, parked, signal, unreadable } = Execution.Pause

/** After an interrupt. */
export const toEnd = "It is to end. If an outcome is unknown, that request is continued first."

export const isRun = (all: ReadonlyArray<Store.Runner>): boolean =>
  all.some(({ isAlive }) => isAlive)

/** The processes that run workflows, and when each was last seen. */
export const runners = (all: ReadonlyArray<Store.Runner>): string => {
  const seen = ({ name, silentMillis }: Store.Runner) => `${name} (seen ${span(silentMillis)} ago)`
  const alive = all.filter(({ isAlive }) => isAlive)
  if (alive.length > 0) return `Workflows are run by ${alive.map(seen).join(", ")}.`
  const dead = all.length > 0 ? ` Those that ran them are gone: ${all.map(seen).join(", ")}.` : ""
  return `No process runs workflows on this database: nothing happens until one starts.${dead}`
}

/** Why an execution waits, until when, and its next step. */
export const state = (execution: Execution.Status, now: number, isRun: boolean): Words => {
  const { dueMillis, end, isPurged, pause } = execution
  if (end !== undefined) {
    const purged = isPurged ? " Its stored data was purged. The key stays taken." : ""
    return said(`${ends[end.state]} ${distance(end.atMillis, now)}`, purged)
  }
  if (pause === undefined) {
    return isRun
      ? said("runs", " Another process goes on if its own has stopped.")
      : said("waits for a process", " None runs workflows now. It goes on when one starts.")
  }
  if (pause === unreadable)
    return said(
      "waits for a process with the version that fits",
      " Until one starts, nothing is sent, and nothing ends it."
    )
  if (pause === failed) return said("has failed, and waits for a resume")
  if (pause === parked) {
    const step = Names.activity(execution.step ?? "")
    return said(
      "is parked",
      ` Its process died ${execution.deaths} times without the result of a step, the last time in "${step}". A resume tries again.`
    )
  }
  if (pause === signal && dueMillis === Execution.never) return said("waits for a signal")
  // Others than those of blocks have a name of the user's.
  const { kind, of = pause } = Names.parsePause(pause) ?? {}
  if (kind === "child") return said("waits for another execution")
  const [why, next, what = ""] =
    kind === "carryOn"
      ? [`The outcome of ${of} is unknown.`, "sends again", " the same request with the same key"]
      : kind === "wait"
        ? ["It has no final status yet.", "looks again"]
        : kind === "signal"
          ? [`It waits for the signal ${of}.`, "gives it up"]
          : pause === signal && dueMillis === 0
            ? ["It waits for a signal.", "looks again"]
            : [`It sleeps (${of}).`, "continues"]
  const [soon, when] =
    dueMillis === 0
      ? ["when taken up", " as soon as a process takes it up"]
      : dueMillis < now - lateMillis
        ? ["late", `, but no process has taken it up since ${at(dueMillis, now)}`]
        : dueMillis <= now
          ? ["now", " now"]
          : [distance(dueMillis, now), ` ${at(dueMillis, now)}`]
  return { brief: `${next} ${soon}`, text: `${why} It ${next}${what}${when}.` }
}

/** The members of a stored resource that an operator sees. Others may be personal data. */
const shown = ["status", "amount", "currency", "reference", "id"] as const

const resource = (value: unknown): string =>
  Predicate.isRecord(value)
    ? shown.flatMap((name) => (name in value ? [`${name} ${String(value[name])}`] : [])).join(", ")
    : ""

const decodeError = Schema.decodeUnknownOption(WriteError)

/** The service's own words for a refusal and its code. The whole message also has facts about the request. */
export const briefly = (error: {
  readonly message: string
  readonly code?: string | undefined
}): string => {
  const { code = "", message } = error
  const [, said] = code === "" ? [] : message.split(`: ${code}: `)
  return said === undefined
    ? message
    : `${said.replace(/ This request was not applied\..*$/s, "")} (${code})`
}

interface Said {
  readonly text: string
  /** The resource, or the message of the error. */
  readonly detail?: string
  readonly tone?: "good" | "bad"
  /** The message in few words. */
  readonly brief?: string
  /** The outcome of the write that ended with the error. */
  readonly outcome?: Errors.Outcome
  /** The pause that follows. */
  readonly pauseMillis?: number
}

/** The clients remove secrets and phone numbers from the messages of their errors, and only from those. */
const error = (value: unknown): Said => {
  const known = Option.getOrUndefined(decodeError(value))
  const tag = Predicate.isRecord(value) ? value["_tag"] : undefined
  const text = Predicate.isString(tag) ? tag : "an error"
  const said = known && {
    detail: known.message,
    brief: briefly(known),
    outcome: Errors.outcome(known)
  }
  return { text, ...said, tone: "bad" }
}

const reason = (cause: Cause.Cause<unknown>): Said =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => ({ text: "a defect", tone: "bad" }),
    onSome: error
  })

const failure = (cause: Cause.Cause<unknown>): Said => {
  if (Cause.isInterruptedOnly(cause)) return { text: "ended because it was interrupted" }
  const said = reason(cause)
  return { ...said, text: `ended with ${said.text}` }
}

const decodeExit = Schema.decodeOption(exitJson(Schema.Unknown, Schema.Unknown))

/** A stored exit. One that is unreadable is a defect. */
const exitOf = (json: string) => Option.getOrElse(decodeExit(json), () => Exit.die(json))

const exitSaid = (json: string, onSuccess: (value: unknown) => Said): Said =>
  Exit.match(exitOf(json), { onSuccess, onFailure: failure })

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

/** The kinds of the steps in a round. Other steps have none of these. */
const kinds: Partial<Record<Names.Kind, Event["kind"]>> = {
  begin: "sent",
  write: "answered",
  look: "looked"
}

const stepEvent = ({ exit, name, storedMillis }: Store.Step): Event => {
  const named = Names.parseStep(name)
  const { of = named?.id ?? Names.activity(name), round } = named ?? {}
  const kind = (named && kinds[named.kind]) ?? "step"
  const count = `, ${kind === "looked" ? "look" : "request"} ${Number(round) + 1}`
  const step = round === undefined ? of : `${of}${count}`
  const said = exitSaid(exit, (result) => {
    const value = Predicate.isRecord(result) ? result : {}
    const millis = (name: string) => Number(value[name] ?? 0)
    switch (kind === "answered" || kind === "looked" ? value["_tag"] : named?.kind) {
      case "begin":
      case "sent":
        return { text: "sent" }
      case "Created":
        return { text: "answered", detail: resource(value["resource"]), tone: "good" }
      case "Open":
        return { ...error(value["error"]), pauseMillis: millis("pauseMillis") }
      case "Pending":
        return { text: "no final status yet", pauseMillis: millis("pauseMillis") }
      case "Done":
        return { text: "final", detail: resource(value["value"]) }
      case "Expired":
        return { text: `gave up after ${span(millis("waitedMillis"))}`, tone: "bad" }
      case "cancelled":
        return { text: "saw the interrupt" }
      case "compensating":
        return { text: result === 0 ? "has nothing that may be undone" : "is undone" }
      case "begun":
        return { text: "started" }
      case "ended":
        return { text: "ended" }
      default:
        return { text: "done" }
    }
  })
  return { atMillis: storedMillis, kind, step, ...said }
}

/** Another execution starts one before it is noted, and may wait for it: that says nothing about this one. */
const isOwn = ({ name }: Store.Step) => {
  const { kind } = Names.parseStep(name) ?? {}
  return kind !== "awaited" && kind !== "started"
}

const decodeCause = Schema.decodeOption(
  Schema.parseJson(Schema.Cause({ error: Schema.Never, defect: Schema.Defect }))
)

/** The failure after which an execution waits, or why it does. */
const waitsAfter = (json: string, pause?: string): Said => {
  const found = Option.map(decodeCause(json), Cause.squash)
  const detail = Option.match(found, {
    onNone: () => "",
    onSome: (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  })
  return { text: pause === failed ? "failed" : "waits", detail, tone: "bad" }
}

/** The failure of an execution that has ended with one, or that waits after one. */
export const failureOf = ({ cause, end, exit }: Execution.Execution): string | undefined => {
  if (end === undefined) return cause && waitsAfter(cause).detail
  const ended = exit === undefined ? Exit.void : exitOf(exit)
  if (Exit.isSuccess(ended)) return undefined
  const { brief, text } = reason(ended.cause)
  return brief === undefined ? text : `${text}: ${brief}`
}

/** The history of an execution, in order. */
export const events = (
  { cause, end, exit, pause, startedMillis }: Execution.Execution,
  steps: ReadonlyArray<Store.Step>
): ReadonlyArray<Event> => {
  const started: Event = { atMillis: startedMillis, kind: "started", step: "", text: "started" }
  const past = [started, ...steps.filter(isOwn).map(stepEvent)]
  if (end === undefined && cause !== undefined) {
    const atMillis = past.at(-1)?.atMillis ?? startedMillis
    return [...past, { ...waitsAfter(cause, pause), atMillis, kind: "ended", step: "" }]
  }
  if (end === undefined) return past
  const text = ends[end.state]
  const last =
    exit === undefined
      ? { text: `${text}; the details were purged` }
      : exitSaid(exit, () => ({ text }))
  return [...past, { atMillis: end.atMillis, kind: "ended", step: "", ...last }]
}

const decodeSent = Schema.decodeOption(
  Schema.parseJson(Schema.Struct({ sentMillis: Schema.Number }))
)

/** The effect of an interrupt on money. */
export const interrupting = (
  { payload, resource }: Execution.Execution,
  events: ReadonlyArray<Event>
): string => {
  if (resource !== undefined) {
    return `It has made ${resource}, which stays made: the money may have moved, or move later. It only stops to follow it.`
  }
  const isRequest = ({ kind }: Event) => kind === "sent" || kind === "answered"
  const last = Option.getOrUndefined(Arr.findLast(events, isRequest))
  const isInDoubt =
    last === undefined
      ? Option.isSome(decodeSent(payload))
      : last.kind === "sent" || last.outcome === "unknown"
  return isInDoubt
    ? "The money may have moved: the outcome of its request is unknown. It sends the same request again with the same key until the outcome is known or its deadline is over, and then stops. It sends nothing under another key."
    : "It stops for good, before it sends another request. Its steps that have ended are not undone."
}

/** The effect of a resume. Undefined for a pause that has none, or without a pause. */
export const resuming = ({ dueMillis, pause }: Execution.Execution): string | undefined => {
  if (pause === undefined || pause === unreadable) return undefined
  if (pause === signal && dueMillis === Execution.never) return undefined
  const { kind, of } = Names.parsePause(pause) ?? {}
  if (kind === "child") return undefined
  if (kind === "signal") {
    return `It gives up the signal ${of} now, as at its deadline, and continues without it.`
  }
  if (kind === "carryOn") return "It sends the same request again now, with the same key."
  return kind === "wait" ? "It reads the status now." : "Its pause ends now, and it continues."
}
