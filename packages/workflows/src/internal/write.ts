import * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Body from "@manilla/workflow-engine/Body"
import { memoize } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as blocks from "./blocks.js"
import * as names from "./names.js"
import * as pauses from "./pauses.js"

export const WriteError = Schema.Union(
  ...Errors.KeyedWriteError.members,
  Execution.ExecutionCancelled
)

interface Options<A, I, R> {
  /** The name of the block, such as `Shop.refund`. */
  readonly operation: string
  /**
   * The idempotency key of the request, from the payload: a new version of the workflow, or one that follows a plain
   * call, must send the same one. Two writes of a body with one key are a defect.
   */
  readonly key: IdempotencyKey.IdempotencyKey
  readonly success: Schema.Schema<A, I>
  /** The id of the resource, for `ExecutionCancelled`. */
  readonly idOf: (resource: A) => string
  /** The call. It has its own retries, and may run more than once, always with the same key. */
  readonly send: (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<A, Errors.KeyedWriteError, R>
  /**
   * When the request may have been sent before this block, with the same key. It may have been applied then,
   * whatever the service answers now: a refusal does not count.
   */
  readonly sentMillis?: number | undefined
}

/**
 * See `Durable.write`. It has rounds, each with up to three stored names:
 *
 * | name        | stored                                                              |
 * | ----------- | ------------------------------------------------------------------- |
 * | `begin/…`   | before the request: a later life that finds it knows of the request |
 * | `write/…`   | the outcome of the call: the resource, an error, or `Open`          |
 * | `carry-on/…`| the pause after `Open`, before the next round                       |
 */
export const write = <A, I, R>({
  idOf,
  key,
  operation,
  send,
  sentMillis,
  success
}: Options<A, I, R>): Effect.Effect<
  A,
  Errors.KeyedWriteError | Execution.ExecutionCancelled,
  Body.InExecution | Body.Own<R>
> =>
  blocks.named(operation)((run) =>
    Effect.gen(function* () {
      const twice = `two writes have the key "${key}". The service takes the second for the first.`
      yield* blocks.take(run, `Idempotency-Key: ${key}`, twice)
      const { carryOn } = run.policy
      const Result = resultOf(success)
      const deadlineMillis = Duration.toMillis(carryOn.deadline)

      /** When the first request may have been sent. The clock of a life may be ahead. */
      let sinceMillis = sentMillis ?? Infinity
      /** Whether a request may have been applied, and no answer to it is known. */
      let isInDoubt = sentMillis !== undefined

      /** One call, with its own retries. It runs again if it was interrupted, or its outcome was not stored. */
      const call = (round: number) =>
        run.step({
          name: names.round("write", operation, round),
          success: Result,
          error: WriteError,
          execute: Effect.gen(function* () {
            const waitedMillis = (yield* Clock.currentTimeMillis) - sinceMillis
            // Neither a refusal nor an interrupt undoes an earlier request.
            const isAgain = isInDoubt
            if (!isAgain && (yield* run.isCancelled())) return yield* blocks.cancelled(run)
            // The process may have been down for days, and the service may have forgotten the key.
            if (isAgain && waitedMillis > deadlineMillis) return yield* tooOld(operation, key)
            const pauseMillis = yield* pauses.nextMillis(carryOn, round)
            const isLast = waitedMillis + pauseMillis > deadlineMillis
            isInDoubt = true
            return yield* send(key).pipe(
              Effect.map((resource) => ({ _tag: "Created", resource }) as const),
              Effect.mapError((error) => (isAgain ? afterDoubt(error, operation, key) : error)),
              Effect.catchAll((error) =>
                isWorthRepeating(error) && !isLast
                  ? Effect.succeed({ _tag: "Open", error, pauseMillis } as const)
                  : Effect.fail(error)
              )
            )
          })
        })

      const ended = Effect.gen(function* () {
        for (let round = 0; ; round++) {
          const begun = yield* begin(run, operation, round)
          sinceMillis = Math.min(sinceMillis, begun.atMillis)
          isInDoubt ||= !begun.isFirst
          const result: typeof Result.Type = yield* call(round)
          if (result._tag === "Created") {
            const resource = idOf(result.resource)
            Body.add(run.sideEffects, { outcome: "applied", hasFailed: false, resource })
            return result.resource
          }
          isInDoubt = result.error._tag === "OutcomeUnknown"
          const pause = names.round("carry-on", operation, round)
          yield* isInDoubt
            ? pauses.sleep(pause, result.pauseMillis)
            : pauses.unlessCancelled(run, pause, result.pauseMillis)
        }
      })
      return yield* Effect.onError(ended, (cause) =>
        Effect.sync(() => {
          const error = Option.getOrUndefined(Cause.failureOption(cause))
          // A cancellation comes before a request.
          if (error?._tag === "ExecutionCancelled") return
          // A defect or an interrupt, such as by a block beside it that failed, says nothing about a request.
          const unanswered = isInDoubt ? "unknown" : "notApplied"
          const outcome = error === undefined ? unanswered : Errors.outcome(error)
          Body.add(run.sideEffects, { outcome, hasFailed: true })
        })
      )
    })
  )

/** A call that did not end the write. A later life may have another policy: it decides only about later calls. */
const Open = Schema.TaggedStruct("Open", {
  pauseMillis: Schema.Number,
  error: Schema.Union(...Errors.KeyedWriteError.members)
})

const resultOf = memoize(<A, I>(success: Schema.Schema<A, I>) =>
  Schema.Union(Schema.TaggedStruct("Created", { resource: success }), Open)
)

const Beginning = Schema.Struct({ atMillis: Schema.Number })

/** Stores that the request of a round may leave from now on. If an earlier life has, it may have been sent. */
const begin = (run: blocks.Run, operation: string, round: number) =>
  Effect.gen(function* () {
    let isFirst = false
    const { atMillis } = yield* run.step({
      name: names.round("begin", operation, round),
      success: Beginning,
      error: Schema.Never,
      execute: Effect.map(Clock.currentTimeMillis, (atMillis) => {
        isFirst = true
        return { atMillis }
      })
    })
    return { atMillis, isFirst }
  })

/** Whether a request that was not applied is worth repeating after a pause. */
export const isWorthRepeating = (error: Errors.KeyedWriteError): boolean => {
  switch (error._tag) {
    case "OutcomeUnknown":
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

/** The error of a request after one whose outcome is unknown: a refusal does not show that the other was not applied. */
const afterDoubt = (
  error: Errors.KeyedWriteError,
  operation: string,
  key: IdempotencyKey.IdempotencyKey
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

/** An earlier request may have been applied, and the service may have forgotten its key. */
const tooOld = (operation: string, key: IdempotencyKey.IdempotencyKey): Errors.OutcomeUnknown => {
  const message =
    `${operation}: an earlier request may have been applied, and is too old to be sent again under the ` +
    `same key, "${key}". Check whether it was applied.`
  const cause = new Errors.TransportError({
    operation,
    message: `${operation}: no response to the earlier request is known.`,
    sent: true
  })
  return new Errors.OutcomeUnknown({ operation, message, cause, key })
}
