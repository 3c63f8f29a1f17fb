import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
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
import { Running, type Permit } from "../Running.js"
import { sleep } from "./running.js"

/** See `Durable.WriteError`. */
export const WriteError = Schema.Union(
  ...Errors.KeyedWriteError.members,
  Execution.ExecutionCancelled
)

/** See `Durable.Write`. */
export interface Write<A, I, R> {
  readonly operation: string
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
export const write = <A, I, R>({ idOf, operation, send, sentMillis, success }: Write<A, I, R>) =>
  Effect.gen(function* () {
    const running = yield* Running
    yield* running.take(operation)
    const { carryOn } = running.policy
    const key = yield* IdempotencyKey.deriveLong(operation, running.businessKey)
    const { Created, Result } = schemasOf(success)

    let isDoubtful = sentMillis !== undefined
    let firstMillis = sentMillis
    /** A refusal counts only if no other request of this write may have been applied. */
    const concluded = (error: Errors.KeyedWriteError, { begins, isAgain }: Granted) =>
      Effect.gen(function* () {
        const mayCount = !isDoubtful && !isAgain && Errors.outcome(error) === "notApplied"
        const isCertain = mayCount && (yield* running.refuse(operation, begins, error))
        return yield* Effect.fail(isCertain ? error : inDoubt(error, operation, key))
      })

    /** One call, with its own retries. */
    const call = (round: number, pause: string) =>
      activity.make({
        name: `write/${operation}/${round}`,
        success: Result,
        error: WriteError,
        execute: Effect.gen(function* () {
          const startedMillis = yield* Clock.currentTimeMillis
          const permit = yield* running.begin(operation, { round, isDoubtful, sentMillis })
          if (permit._tag === "Cancelled") return yield* running.cancelled()
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
                ? Effect.as(
                    running.due(pause, pauseMillis),
                    Open.make({ error, startedMillis, pauseMillis })
                  )
                : Effect.fail(error)
            )
          )
        })
      })

    for (let round = 0; ; round++) {
      const pause = `carry-on/${operation}/${round}`
      const result: typeof Result.Type = yield* call(round, pause)
      if (result._tag === "Created") {
        running.money.isApplied = true
        running.money.resource = idOf(result.resource)
        return result.resource
      }
      firstMillis ??= result.startedMillis
      isDoubtful ||= result.error._tag === "OutcomeUnknown"
      yield* sleep(pause, result.pauseMillis)
    }
  }).pipe(
    Effect.tapError((error) =>
      Effect.map(Running, ({ money }) => {
        if (error._tag === "ExecutionCancelled") return
        const outcome = Errors.outcome(error)
        money.isUnknown ||= outcome === "unknown"
        money.isApplied ||= outcome === "applied"
        money.isInDoubt ||= outcome !== "notApplied"
      })
    )
  )
