/**
 * The error of a failed call, with the outcome over all attempts. If the outcome of one attempt is
 * unknown, a later 4xx does not change that.
 */
import * as Errors from "../Errors.js"
import type { IdempotencyKey } from "../IdempotencyKey.js"
import * as Issues from "../Issues.js"
import type * as Operation from "../Operation.js"
import * as RetryPolicy from "../RetryPolicy.js"
import type * as response from "./response.js"
import type { Root } from "./rootUrl.js"
import type { Reason, State } from "./step.js"
import { withoutValidation } from "./withoutValidation.js"

export const compile = (
  name: string,
  { pathParams, replay }: Operation.Operation,
  { origin, path }: Root
) => {
  const hasNoId = pathParams === undefined

  const error = (
    key: IdempotencyKey | undefined,
    state: State,
    because: Reason,
    failure: response.Failure,
    nowMillis: number
  ): Errors.ReadError | Errors.WriteError | Errors.KeyedWriteError => {
    const tried = triedText(origin + path, state, nowMillis)
    const note = notes[because]
    const isNotApplied =
      !state.doubtful && RetryPolicy.table[failure.fault].outcome === "notApplied"
    if (replay._tag === "Safe" || isNotApplied) {
      const applied = replay._tag === "Safe" ? "" : " This request was not applied."
      return failure.toError(`${tried}.${applied}${note}${adviceOn(failure, hasNoId, replay)}`)
    }
    const cause = failure.toError()
    if (failure.fault === "UnreadableSuccess" && cause._tag === "MalformedResponseError") {
      return appliedUnreadable(cause, failure.found, key, tried)
    }
    if (because === "key reused" && key !== undefined) {
      return keyReused(name, key, failure, state.sent, tried)
    }
    const unknown = {
      operation: name,
      message:
        `${name}: the request may have been applied${tried}.${note} ` +
        `${key === undefined ? checkFirst : `${sameKey(key)}.`} ` +
        `Last attempt: ${cause.message.replace(/\.$/, "")}.`,
      attempts: state.sent,
      cause
    }
    return key === undefined
      ? new Errors.UnkeyedOutcomeUnknown(unknown, withoutValidation)
      : new Errors.OutcomeUnknown({ ...unknown, key }, withoutValidation)
  }

  /** The warning of an interrupted write. `applied` is its resource, if it is known to have succeeded. */
  const interrupted = (
    key: IdempotencyKey | undefined,
    applied: response.Found | undefined
  ): string => {
    const outcome =
      applied === undefined ? "may have been applied" : `was applied${namesOf(applied)}`
    const advice =
      key !== undefined
        ? ` ${sameKey(key)}, to continue.`
        : applied === undefined
          ? ` ${checkFirst}`
          : ""
    return `${name} was sent to ${origin} and ${outcome}; its caller was interrupted.${advice}`
  }

  return { error, interrupted }
}

const checkFirst =
  "The operation has no idempotency key: check whether it was applied before you retry."

const sameKey = (key: IdempotencyKey): string =>
  `Retry the same request with the same key, "${key}"`

/** The base URL, attempts and duration: `(https://host/api/v1, 5 attempts in 12.3 s)`. */
const triedText = (baseUrl: string, { sent, startedMillis }: State, nowMillis: number): string => {
  const seconds = (Math.max(0, nowMillis - startedMillis) / 1000).toFixed(1)
  return sent === 0 ? "" : ` (${baseUrl}, ${sent} attempt${sent === 1 ? "" : "s"} in ${seconds} s)`
}

const notes: Record<Reason, string> = {
  rule: "",
  attempts: "",
  deadline: " Not retried: too little time is left before the deadline.",
  budget: " Not retried: the gateway's retry budget allows no retry before the deadline.",
  "key reused": ""
}

/** Advice for the faults that have an obvious next step. */
const adviceOn = (
  { fault, retryAfterMillis }: response.Failure,
  hasNoId: boolean,
  replay: Operation.Replay
): string => {
  switch (fault) {
    case "UnauthorizedError":
      return " Check the credentials."
    case "ForbiddenError":
      return " Check the scopes of the credentials and the state of the account."
    case "BadRequestError":
    case "UnprocessableError":
      // The service may refuse a request because its key was used for another one.
      return (
        " Correct the request before you retry." +
        (replay._tag === "Keyed"
          ? " If the key was used before, check that earlier request before you choose another key."
          : "")
      )
    case "NotFoundError":
      return hasNoId
        ? " Check that the base URL ends with the version segment, such as /api/v1."
        : ""
    case "RateLimitError":
      return retryAfterMillis === undefined
        ? " Wait before you retry."
        : ` Wait ${(retryAfterMillis / 1000).toFixed(1)} s before you retry.`
    case "NotSent":
      return " Check the base URL and the network connection."
    default:
      return ""
  }
}

/** The id and the reference, as ` (id …, reference …)`. */
const namesOf = (found: response.Found): string => {
  const names = Object.entries(found).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`]
  )
  return names.length === 0 ? "" : ` (${names.join(", ")})`
}

const appliedUnreadable = (
  { correlationId, issues, operation, status }: Errors.MalformedResponseError,
  found: response.Found,
  key: IdempotencyKey | undefined,
  tried: string
): Errors.AppliedUnreadable | Errors.UnkeyedAppliedUnreadable => {
  const fields = {
    operation,
    message:
      `${operation} was applied${namesOf(found)}, but its response cannot be read: ` +
      `${Issues.print(issues)}${tried}. Do not retry.${keyIs(key)}`,
    status,
    correlationId,
    issues,
    ...found
  }
  return key === undefined
    ? new Errors.UnkeyedAppliedUnreadable(fields)
    : new Errors.AppliedUnreadable({ ...fields, key })
}

const keyReused = (
  operation: string,
  key: IdempotencyKey,
  { differs, found }: response.Failure,
  attempts: number,
  tried: string
): Errors.KeyReused =>
  new Errors.KeyReused({
    operation,
    message:
      `${operation}: the key "${key}" was most likely used for another request. Two responses described ` +
      `the same resource${namesOf(found)}, which differs from the request in ` +
      `${differs.join(" and ")}${tried}. Inspect that resource before you choose a new key.`,
    key,
    ...found,
    differs,
    attempts
  })

const keyIs = (key: IdempotencyKey | undefined): string =>
  key === undefined ? "" : ` Its key is "${key}".`
