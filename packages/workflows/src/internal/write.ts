import * as Errors from "@manilla/core/Errors"
import type * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Execution from "../Execution.js"
import * as Policy from "../Policy.js"
import * as activity from "./activity.js"
import { jitter } from "./jitter.js"
import { once } from "./once.js"
import { pauseFor } from "./pauseFor.js"
import type { Permit } from "./journal.js"
import * as runs from "./run.js"

/** See `Durable.WriteError`. */
export const WriteError = Schema.Union(
  ...Errors.KeyedWriteError.members,
  Execution.ExecutionCancelled
)

/** See `Durable.Write`. */
export interface Write<A, I, R> {
  readonly operation: string
  readonly key: IdempotencyKey.IdempotencyKey
  readonly success: Schema.Schema<A, I>
  readonly idOf: (resource: A) => string
  readonly send: (key: IdempotencyKey.IdempotencyKey) => Effect.Effect<A, Errors.KeyedWriteError, R>
  readonly sentMillis?: number | undefined
}

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

/**
 * After another request whose outcome is unknown, a refusal cannot show that the other request was not
 * applied.
 */
const inDoubt = (
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

/** A call that did not end the write. A later life may have another policy: it decides only about later calls. */
const Open = Schema.TaggedStruct("Open", {
  startedMillis: Schema.Number,
  pauseMillis: Schema.Number,
  error: Schema.Union(...Errors.KeyedWriteError.members)
})

const schemasOf = once(<A, I>(success: Schema.Schema<A, I>) => {
  const Created = Schema.TaggedStruct("Created", { resource: success })
  return { Created, Result: Schema.Union(Created, Open) }
})

type Granted = Extract<Permit, { readonly _tag: "Granted" }>

/** See `Durable.write`. */
export const write = <A, I, R>({
  idOf,
  key,
  operation,
  send,
  sentMillis,
  success
}: Write<A, I, R>) =>
  Effect.gen(function* () {
    const run = yield* runs.current
    yield* runs.take(run, operation)
    const { journal, money } = run
    const { carryOn } = run.policy
    const { Created, Result } = schemasOf(success)

    let isDoubtful = sentMillis !== undefined
    let firstMillis = sentMillis
    /** A refusal counts only if no other request of this write may have been applied. */
    const concluded = (error: Errors.KeyedWriteError, { begins, isAgain }: Granted) =>
      Effect.gen(function* () {
        const mayCount = !isDoubtful && !isAgain && Errors.outcome(error) === "notApplied"
        const isCertain = mayCount && (yield* journal.refuse(operation, begins, error))
        return yield* Effect.fail(isCertain ? error : inDoubt(error, operation, key))
      })

    /** One call, with its own retries. */
    const call = (round: number, begin: Effect.Effect<Permit>) =>
      activity.make({
        name: `write/${operation}/${round}`,
        success: Result,
        error: WriteError,
        execute: Effect.gen(function* () {
          const startedMillis = yield* Clock.currentTimeMillis
          const permit = yield* begin
          if (permit._tag === "Cancelled") return yield* runs.cancelled(run)
          if (permit._tag === "Expired") return yield* tooOld(operation, key)
          const pauseMillis = yield* jitter(Policy.pauseMillis(carryOn, round))
          const waitedMillis = startedMillis + pauseMillis - (firstMillis ?? startedMillis)
          const isLast = waitedMillis > Duration.toMillis(carryOn.deadline)
          const sent =
            permit._tag === "Refused"
              ? Effect.fail(permit.error)
              : Effect.catchAll(send(key), (error) => concluded(error, permit))
          return yield* sent.pipe(
            Effect.map((resource) => Created.make({ resource })),
            Effect.catchAll((error) =>
              isWorthRepeating(error) && !isLast
                ? Effect.succeed(Open.make({ error, startedMillis, pauseMillis }))
                : Effect.fail(error)
            )
          )
        })
      })

    const ended = Effect.gen(function* () {
      for (let round = 0; ; round++) {
        const pause = `carry-on/${operation}/${round}`
        const begin = yield* journal.permit(operation, { round, isDoubtful, sentMillis }, run)
        const result: typeof Result.Type = yield* call(round, begin)
        if (result._tag === "Created") {
          money.isApplied = true
          money.resource = idOf(result.resource)
          return result.resource
        }
        firstMillis ??= result.startedMillis
        isDoubtful ||= result.error._tag === "OutcomeUnknown"
        // The next round sees that it is to be cancelled.
        const isOver = !isDoubtful && (yield* runs.isCancelled(run, pause))
        if (!isOver) yield* pauseFor(pause, result.pauseMillis)
      }
    })
    return yield* Effect.tapError(ended, (error) =>
      Effect.sync(() => {
        if (error._tag === "ExecutionCancelled") return
        const outcome = Errors.outcome(error)
        money.isUnknown ||= outcome === "unknown"
        money.isApplied ||= outcome === "applied"
        money.isInDoubt ||= outcome !== "notApplied"
      })
    )
  })
