/**
 * The end of a call that failed: the error that says the outcome of the operation, over all of its
 * attempts. A refusal speaks of its own attempt only, so a doubt about an earlier one stays.
 */
import * as Errors from "../Errors.js"
import type { IdempotencyKey } from "../IdempotencyKey.js"
import * as Issues from "../Issues.js"
import type * as Operation from "../Operation.js"
import * as RetryPolicy from "../RetryPolicy.js"
import { withoutValidation } from "./withoutValidation.js"
import * as response from "./response.js"
import type { Reason, State } from "./step.js"

export const conclude = (
  operation: string,
  replay: Operation.Replay,
  key: IdempotencyKey | undefined,
  state: State,
  because: Reason,
  failure: response.Failure
): Errors.ReadError | Errors.WriteError | Errors.KeyReused => {
  const error = failure.toError(notes[because])
  if (replay._tag === "Safe") return error
  if (failure.fault === "UnreadableSuccess" && error._tag === "MalformedResponseError") {
    return appliedUnreadable(error, failure.found, key)
  }
  if (because === "key reused" && key !== undefined) {
    return keyReused(operation, key, failure, state.sent)
  }
  if (!state.doubtful && RetryPolicy.table[failure.fault].outcome === "not applied") return error
  return new Errors.OutcomeUnknown(
    {
      operation,
      message: outcomeUnknown(operation, key, state.sent, error.message),
      key,
      attempts: state.sent,
      cause: error
    },
    withoutValidation
  )
}

const notes: Record<Reason, string> = {
  rule: "",
  attempts: "",
  deadline: " It was not tried again: too little of the call's time is left.",
  budget:
    " It was not tried again: the retry budget of the gateway is spent until after the call's deadline.",
  "key reused": ""
}

/** The end of an attempt without a token: its source's own error, or why there is none. */
export const noToken = (
  operation: string,
  why: string | Errors.TokenUnavailableError,
  cause?: Errors.RequestError
): response.Failure =>
  response.failure((note = "") => {
    if (typeof why !== "string") return why
    const message = `${operation} was not sent: ${why}.${note}`
    return new Errors.TokenUnavailableError(
      { operation, message, ...(cause === undefined ? {} : { cause }) },
      withoutValidation
    )
  }, "TokenUnavailableError")

/** The end of an attempt whose token did not come in time, with the last failure of its source. */
export const tokenTooLate = (
  operation: string,
  afterMillis: number,
  last: Errors.TokenUnavailableError | undefined
): response.Failure => {
  const late = `no token came within ${afterMillis} ms`
  const message = `${operation}: ${late}.`
  return last === undefined
    ? noToken(operation, late, new Errors.TimeoutError({ operation, message, afterMillis }))
    : noToken(operation, `${late}. ${last.message.replace(/\.$/, "")}`, last.cause)
}

const namesOf = (found: response.Found): string => {
  const names = Object.entries(found).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`]
  )
  return names.join(", ")
}

const appliedUnreadable = (
  { correlationId, issues, operation, status }: Errors.MalformedResponseError,
  found: response.Found,
  key: IdempotencyKey | undefined
): Errors.AppliedUnreadable => {
  const names = namesOf(found)
  return new Errors.AppliedUnreadable({
    operation,
    message:
      `${operation} was applied, and its answer cannot be read` +
      (names === "" ? "" : ` (${names})`) +
      `: ${Issues.print(issues)}. Do not send it again.${keyIs(key)}`,
    status,
    correlationId,
    issues,
    key,
    ...found
  })
}

const keyReused = (
  operation: string,
  key: IdempotencyKey,
  { differs, found }: response.Failure,
  attempts: number
): Errors.KeyReused =>
  new Errors.KeyReused({
    operation,
    message:
      `${operation}: the key ${key} most likely belongs to another request. The same resource came ` +
      `back twice (${namesOf(found)}), and its ${differs.join(" and ")} is not as it was sent. ` +
      "Look at that resource before you choose a new key.",
    key,
    ...found,
    differs,
    attempts
  })

const outcomeUnknown = (
  operation: string,
  key: IdempotencyKey | undefined,
  sent: number,
  last: string
): string =>
  `${operation}: it is not known whether it was applied, after ${sent} attempt${sent === 1 ? "" : "s"}. ` +
  (key === undefined
    ? "It has no key: find out what became of it before sending it again. "
    : `Send the same request again under the same key, ${key}. `) +
  `Last: ${last}`

/** The warning of an interrupted write. */
export const interrupted = (operation: string, key: IdempotencyKey | undefined): string =>
  `${operation} was sent, and may have been applied; its caller was interrupted.${keyIs(key)}`

const keyIs = (key: IdempotencyKey | undefined): string =>
  key === undefined ? "" : ` Its key is ${key}.`
