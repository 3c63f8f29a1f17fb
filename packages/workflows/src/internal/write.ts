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
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as blocks from "./blocks.js"
import * as names from "./names.js"
import * as pauses from "./pauses.js"

export const WriteError = Schema.Union(Errors.KeyedWriteError, Execution.ExecutionCancelled)

export interface Options<A, I, R> {
  /** A name that no other block of the body has, such as `Shop.refund`. It is the `operation` of its errors too. */
  readonly operation: string
  /**
   * The idempotency key of the request. Take it from the payload: a new version of the workflow must send the same. A
   * second write of a body needs another key, such as `IdempotencyKey.derive(key, "refund")`.
   */
  readonly key: IdempotencyKey.IdempotencyKey
  readonly success: Schema.Schema<A, I>
  /** The id of the resource, for `ExecutionCancelled`. */
  readonly idOf: (resource: A) => string
  /**
   * The call, with its own retries. It may run more than once, always with the same key. Manilla's clients fail as needed.
   * A call of your own fails, if the answer shows that nothing was applied, with the error of the status, such as
   * `new Errors.UnprocessableError({ operation, message, status: 422 })`. After anything else, such as a lost response, a
   * 409 or a 5xx, it fails with `new Errors.OutcomeUnknown({ operation, message, key, cause })`, where the cause is, for a
   * lost response, `new Errors.TransportError({ operation, message, sent: true })`. It must not die: a defect ends the
   * execution, and its unknown outcome is not continued.
   */
  readonly send: (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<A, Errors.KeyedWriteError, R>
  /**
   * When an earlier call may have sent this request, with the same key, in milliseconds since 1970. A refusal then does
   * not show that nothing was applied.
   */
  readonly sentMillis?: number | undefined
}

/**
 * See `Durable.write`. A round stores a step `begin/…`, calls, stores the answer as a step `write/…`, and after `Open`
 * pauses in `carry-on/…`.
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
  blocks.named(operation, (run) =>
    Effect.gen(function* () {
      const why = `two writes have the key "${key}". The service takes the second for the first.`
      yield* blocks.once(run, `Idempotency-Key: ${key}`, why)
      const { carryOn } = run.policy
      const { sideEffects } = run
      const Result = resultOf(success)
      const deadlineMillis = Duration.toMillis(carryOn.deadline)

      /** When the first request may have been sent. Not read before the first `begin`. */
      let sinceMillis = sentMillis ?? Infinity
      /** Contains the operation while the write is in doubt. */
      const { open } = sideEffects
      if (sentMillis !== undefined) open.add(operation)

      /** One call, with its own retries. */
      const call = (round: number) =>
        run.step({
          name: names.inRound("write", operation, round),
          success: Result,
          error: WriteError,
          execute: Effect.gen(function* () {
            const waitedMillis = (yield* Clock.currentTimeMillis) - sinceMillis
            const isInDoubt = open.has(operation)
            if (!isInDoubt && (yield* run.isCancelled())) return yield* blocks.cancellation(run)
            // The service may have forgotten the key. Written so that a `sentMillis` of `NaN` is too old as well.
            if (isInDoubt && !(waitedMillis <= deadlineMillis)) return yield* tooOld(operation, key)
            const pauseMillis = yield* pauses.nextMillis(carryOn, round)
            const isLast = waitedMillis + pauseMillis > deadlineMillis
            // If the step is interrupted, it runs again in this run: this request may have left.
            open.add(operation)
            return yield* send(key).pipe(
              Effect.map((resource) => ({ _tag: "Created", resource }) as const),
              Effect.mapError((error) => (isInDoubt ? asUnknown(error, operation, key) : error)),
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
          // The earliest counts: the clock of another run may have been ahead.
          sinceMillis = Math.min(sinceMillis, begun.atMillis)
          // An earlier run began this round: in doubt, unless `call` finds its answer.
          if (!begun.isFirst) open.add(operation)
          const result: typeof Result.Type = yield* call(round)
          if (result._tag === "Created") {
            // Here, so that a defect of `idOf` leaves the write unknown.
            return { resource: result.resource, id: idOf(result.resource) }
          }
          const isInDoubt = Errors.outcome(result.error) === "unknown"
          if (!isInDoubt) open.delete(operation)
          const pause = names.inRound("carry-on", operation, round)
          yield* isInDoubt
            ? pauses.sleep(pause, result.pauseMillis)
            : pauses.unlessCancelled(run, pause, result.pauseMillis)
        }
      })

      const note = (exit: Exit.Exit<{ readonly id: string }, typeof WriteError.Type>) => {
        if (Exit.isSuccess(exit)) {
          const resource = exit.value.id
          return Body.end(sideEffects, operation, {
            outcome: "applied",
            hasFailed: false,
            resource
          })
        }
        const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
        // After a defect or an interrupt, a request may still be sent, by another engine or a later run.
        if (error === undefined) return void open.add(operation)
        // Nothing in doubt is cancelled.
        const isCancelled = error._tag === "ExecutionCancelled"
        const outcome = isCancelled ? "notApplied" : Errors.outcome(error)
        Body.end(sideEffects, operation, { outcome, hasFailed: true })
      }
      const { resource } = yield* Effect.onExit(ended, (exit) => Effect.sync(() => note(exit)))
      return resource
    })
  )

/** A call that did not end the write. A new policy does not change a pause that is stored. */
const Open = Schema.TaggedStruct("Open", {
  pauseMillis: Schema.Number,
  error: Errors.KeyedWriteError
})

const resultOf = memoize(<A, I>(success: Schema.Schema<A, I>) =>
  Schema.Union(Schema.TaggedStruct("Created", { resource: success }), Open)
)

const Beginning = Schema.Struct({ atMillis: Schema.Number })

/** A write-ahead record: if an earlier run has stored it, the request of the round may have left. */
const begin = (run: blocks.Run, operation: string, round: number) =>
  Effect.gen(function* () {
    let isFirst = false
    const { atMillis } = yield* run.step({
      name: Body.beginOf(operation, round),
      success: Beginning,
      error: Schema.Never,
      isNote: true,
      execute: Effect.map(Clock.currentTimeMillis, (atMillis) => {
        isFirst = true
        return { atMillis }
      })
    })
    return { atMillis, isFirst }
  })

/** Whether the same request is worth sending again after a pause, with the same key. */
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

/** The error of a request in doubt: a refusal says nothing about the earlier request. */
const asUnknown = (
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

/** The service may have forgotten the key: to send the request again could pay twice. */
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
