/**
 * The error of a failed call, with the outcome over all attempts. If the outcome of one attempt is
 * unknown, a later 4xx does not change that.
 */
import * as Errors from "../../Errors.js"
import type { IdempotencyKey } from "../../IdempotencyKey.js"
import type * as Operation from "../../Operation.js"
import type { Failure } from "../body/reading.js"
import * as messages from "../text/messages.js"
import type { Root } from "../transport/rootUrl.js"
import type { Done } from "./retryLoop.js"

export type CallError = Errors.ReadError | Errors.WriteError | Errors.KeyedWriteError

export const make =
  (name: string, operation: Operation.Operation, { origin, path }: Root) =>
  (
    key: IdempotencyKey | undefined,
    { because, state }: Done,
    failure: Failure,
    nowMillis: number
  ): CallError => {
    const facts = messages.tried(origin + path, state, nowMillis)
    const ending: messages.Ending = { operation: name, key, because, facts }
    if (operation.replay._tag === "Safe" || !state.doubtful) {
      return failure.toError(messages.failed(ending, operation, failure))
    }
    const cause = failure.toError()
    if (failure.fault === "UnreadableSuccess" && cause._tag === "MalformedResponseError") {
      return appliedUnreadable(ending, failure, cause)
    }
    return because === "key reused" && key !== undefined
      ? keyReused(ending, key, failure, state.sent)
      : outcomeUnknown(ending, cause, state.sent)
  }

const outcomeUnknown = (ending: messages.Ending, cause: Errors.ReadError, attempts: number) => {
  const { key, operation } = ending
  const fields = { operation, message: messages.outcomeUnknown(ending, cause), attempts, cause }
  return key === undefined
    ? new Errors.UnkeyedOutcomeUnknown(fields)
    : new Errors.OutcomeUnknown({ ...fields, key })
}

const appliedUnreadable = (
  ending: messages.Ending,
  { found }: Failure,
  cause: Errors.MalformedResponseError
) => {
  const { key, operation } = ending
  const { correlationId, issues, status } = cause
  const message = messages.appliedUnreadable(ending, found, cause)
  const fields = { operation, message, status, correlationId, issues, ...found }
  return key === undefined
    ? new Errors.UnkeyedAppliedUnreadable(fields)
    : new Errors.AppliedUnreadable({ ...fields, key })
}

const keyReused = (
  ending: messages.Ending,
  key: IdempotencyKey,
  { differs, found }: Failure,
  attempts: number
) => {
  const message = messages.keyReused(ending, key, found, differs)
  return new Errors.KeyReused({
    operation: ending.operation,
    message,
    key,
    ...found,
    differs,
    attempts
  })
}
