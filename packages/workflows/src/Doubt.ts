/**
 * The doubt about a write, as a pure function: whether an earlier request may have been applied, and what follows a response.
 * `Durable.write` is a loop around it. For an engine whose steps cannot be closures, such as Temporal, write that loop
 * around `next` yourself: one registered activity sends the request, and the body keeps the state.
 *
 * @since 0.1.0
 */
import * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Predicate from "effect/Predicate"

/**
 * The state of a write.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  /** For errors. */
  readonly operation: string
  readonly key: IdempotencyKey.IdempotencyKey
  /** A write in doubt is not sent again later than this after its first request. */
  readonly deadlineMillis: number
  /** When the first request may have been sent, in milliseconds since 1970. `Infinity` before that. */
  readonly sinceMillis: number
  /** The latest beginning that is stored. `-Infinity` before that. */
  readonly latestMillis: number
  /** Whether an earlier request may have been applied. */
  readonly isInDoubt: boolean
  /** Whether a request may be under way. */
  readonly isSending: boolean
  /** Whether the next pause would pass the deadline. */
  readonly isLast: boolean
}

/**
 * A write that begins. `sentMillis` is the time at which an earlier call may have sent this request, with the same key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const start = ({
  sentMillis,
  ...write
}: Pick<State, "operation" | "key" | "deadlineMillis"> & {
  readonly sentMillis?: number | undefined
}): State => ({
  ...write,
  sinceMillis: sentMillis ?? Infinity,
  latestMillis: sentMillis ?? -Infinity,
  isInDoubt: sentMillis !== undefined,
  isSending: false,
  isLast: false
})

/**
 * An event of a write.
 *
 * | event      | when                                                                                          |
 * | ---------- | --------------------------------------------------------------------------------------------- |
 * | `Begun`    | it is stored that a request may be sent. `isFirst` is false if an earlier life has stored that, and its response is not known |
 * | `Sending`  | the request is about to be sent. `pauseMillis` is the length of the pause that would follow      |
 * | `Answered` | the call has ended, with an error or without one                                              |
 *
 * @since 0.1.0
 * @category models
 */
export type Event =
  | { readonly _tag: "Begun"; readonly atMillis: number; readonly isFirst: boolean }
  | {
      readonly _tag: "Sending"
      readonly nowMillis: number
      readonly pauseMillis: number
      readonly isCancelled: boolean
    }
  | { readonly _tag: "Answered"; readonly error: Errors.KeyedWriteError | undefined }

/**
 * The state after an event, and the next action.
 *
 * | next     | meaning                                                                           |
 * | -------- | --------------------------------------------------------------------------------- |
 * | `Ready`  | go on with `Sending`                                                              |
 * | `Send`   | send the request                                                                  |
 * | `Cancel` | end as cancelled: nothing was applied, and nothing is sent                        |
 * | `Pause`  | the write is open: pause, and begin again. An interrupt ends the pause unless the state is in doubt |
 * | `Done`   | the write was applied                                                             |
 * | `Fail`   | end with the error                                                                |
 *
 * @since 0.1.0
 * @category models
 */
export type Next = { readonly state: State } & (
  | { readonly _tag: "Ready" | "Send" | "Cancel" | "Done" }
  | { readonly _tag: "Pause" | "Fail"; readonly error: Errors.KeyedWriteError }
)

/** By how much the clocks of two machines may differ, and the one of a machine may be set back. */
const mostSkewMillis = 60_000

/**
 * Decides what follows an event. Nothing that comes later removes the doubt about an earlier request. If the clock is more
 * than a minute behind a stored time, nobody knows how old that request is, and a write in doubt is not sent again.
 *
 * @since 0.1.0
 * @category rules
 */
export const next = (before: State, event: Event): Next => {
  switch (event._tag) {
    case "Begun":
      return {
        _tag: "Ready",
        state: {
          ...before,
          // The earliest counts: the clock of another life may have been ahead.
          sinceMillis: Math.min(before.sinceMillis, event.atMillis),
          latestMillis: Math.max(before.latestMillis, event.atMillis),
          // That life may have sent it. A stored response of the round shows what came of it.
          isSending: before.isSending || !event.isFirst
        }
      }
    case "Sending": {
      // One that was interrupted is sent again.
      const isInDoubt = before.isInDoubt || before.isSending
      const waitedMillis = event.nowMillis - before.sinceMillis
      const isLast = waitedMillis + event.pauseMillis > before.deadlineMillis
      const state = { ...before, isInDoubt, isLast }
      if (!isInDoubt && event.isCancelled) return { _tag: "Cancel", state }
      if (isInDoubt && event.nowMillis < before.latestMillis - mostSkewMillis) {
        const why = "the clock was set back since, so that its age is unknown: it is not sent again"
        return { _tag: "Fail", state, error: unsent(state, why) }
      }
      // The service may have forgotten the key. Written so that a time of `NaN` is too old as well.
      if (isInDoubt && !(waitedMillis <= before.deadlineMillis)) {
        return { _tag: "Fail", state, error: unsent(state, "is too old to be sent again") }
      }
      return { _tag: "Send", state: { ...state, isSending: true } }
    }
    case "Answered": {
      if (event.error === undefined) return { _tag: "Done", state: { ...before, isSending: false } }
      const error = before.isInDoubt ? asUnknown(event.error, before) : event.error
      const state = {
        ...before,
        isSending: false,
        isInDoubt: before.isInDoubt || Errors.outcome(error) === "unknown"
      }
      const isOpen = isWorthRepeating(error) && !before.isLast
      return { _tag: isOpen ? "Pause" : "Fail", state, error }
    }
  }
}

/**
 * Whether the same request is worth sending again after a pause, with the same key.
 *
 * @since 0.1.0
 * @category rules
 */
export const isWorthRepeating = (error: Errors.KeyedWriteError): boolean => {
  switch (error._tag) {
    case "OutcomeUnknown":
      return true
    // An operator may replace a credential meanwhile.
    case "UnauthorizedError":
    case "TokenUnavailableError":
      return true
    case "AppliedUnreadable":
    case "KeyReused":
      return false
    default:
      return RetryPolicy.isPassing(error)
  }
}

/**
 * Whether the key may belong to another request, which may have moved the money. The interface does not list its error
 * codes: any code about idempotency counts.
 *
 * @since 0.1.0
 * @category rules
 */
export const isOfOtherRequest = (error: { readonly _tag: string }): boolean => {
  const isUnknown = error._tag === "OutcomeUnknown" && Predicate.hasProperty(error, "cause")
  const last = isUnknown ? error.cause : error
  return (
    Predicate.isTagged(last, "KeyReused") ||
    (Predicate.hasProperty(last, "code") && /IDEMPOTENCY/i.test(String(last.code)))
  )
}

/** The error of a request in doubt: a refusal says nothing about the earlier request. */
const asUnknown = (
  error: Errors.KeyedWriteError,
  { key, operation }: State
): Errors.KeyedWriteError => {
  switch (error._tag) {
    case "OutcomeUnknown":
    case "AppliedUnreadable":
    case "KeyReused":
      return error
    default:
      return new Errors.OutcomeUnknown({
        operation,
        message: `${operation}: another request may have been applied, and this one was refused: ${error.message}`,
        cause: error,
        key
      })
  }
}

/** The service may have forgotten the key: to send the request again could pay twice. */
const unsent = ({ key, operation }: State, why: string): Errors.OutcomeUnknown => {
  const message = `${operation}: an earlier request may have been applied, and ${why} under the same key, "${key}". Check whether it was applied.`
  const cause = new Errors.TransportError({
    operation,
    message: `${operation}: no response to the earlier request is known.`,
    sent: true
  })
  return new Errors.OutcomeUnknown({ operation, message, cause, key })
}
