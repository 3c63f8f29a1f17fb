import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as RetryPolicy from "@manilla/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import * as Policy from "../Policy.js"
import { CreationError, type Definition } from "./definition.js"
import { jitter } from "./jitter.js"
import { persistently } from "./persistently.js"

/** A call with all its retries takes 3 minutes unless the gateway's policy says otherwise. */
const longestCallMillis = Duration.toMillis("5 minutes")

const isStorageError = (error: Execution.StorageError): error is Execution.StorageError =>
  error._tag === "StorageError"

/** The result of an activity. The engine stores it, so a restarted process makes the same decisions. */
const Later = Schema.TaggedStruct("Later", {
  startedMillis: Schema.Number,
  pauseMillis: Schema.Number
})

const refusal = Schema.Union(...Errors.KeyedWriteError.members)

/** Whether a request that was not applied is worth repeating after a pause. */
const isWorthRepeating = (error: Errors.KeyedWriteError): boolean => {
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
 * After a request whose outcome is unknown, a refusal cannot show that the earlier request was not
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
        message: `${operation}: an earlier request may have been applied, and this one was refused: ${error.message}`,
        attempts: 1,
        cause: error,
        key
      })
  }
}

/** An earlier request may have been applied, and its key may be forgotten by now. */
const tooOld = (operation: string, key: IdempotencyKey.IdempotencyKey): Errors.OutcomeUnknown => {
  const message =
    `${operation}: an earlier request may have been applied, and is too old to be sent again under the ` +
    `same key, "${key}". Check whether it was applied.`
  const cause = new Errors.TransportError({
    operation,
    message: `${operation}: no response to the earlier request is known.`,
    sent: true
  })
  return new Errors.OutcomeUnknown({ operation, message, attempts: 1, cause, key })
}

/**
 * The body of a workflow that creates a resource and waits for its final status. It only calls activities
 * and pauses; the name of each has the number of its round, so no round reads the result of another.
 */
export const make = <Request, RequestI, Resource, ResourceI, Failure, FailureI, R>(
  definition: Definition<Request, RequestI, Resource, ResourceI, Failure, FailureI, R>,
  policy: Policy.Policy,
  engine: Engine.Service
) => {
  const { idOf, name: workflow, operation, resource: Resource, wait } = definition

  const isStillPending = Schema.is(definition.stillPending)

  const sleep = (name: string, pauseMillis: number) =>
    DurableClock.sleep({
      name,
      duration: Duration.millis(pauseMillis),
      // A pause in memory would start again after a crash.
      inMemoryThreshold: Duration.zero
    })

  /** Stores when the execution is due. Returns whether its cancellation was requested. */
  const due = (businessKey: string, pause: string | undefined, inMillis: number) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const changed = yield* persistently(
        engine.modify({ workflow, businessKey }, (execution) => [
          execution.isCancelRequested,
          { ...execution, pause, dueMillis: now + inMillis }
        ]),
        isStorageError
      )
      return Option.getOrElse(changed, () => false)
    })

  /**
   * Records that a request may leave in this round, unless the execution is to be cancelled first, or an
   * earlier request is so old that the service may have forgotten its key: the process may have been down
   * for days.
   */
  const permit = (businessKey: string, round: number, isDoubtful: boolean) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const permitted = yield* persistently(
        engine.modify<"first" | "again" | "cancelled" | "expired">(
          { workflow, businessKey },
          (execution) => {
            const isAgain = execution.round >= round
            if (execution.isCancelRequested && !isAgain && !isDoubtful) {
              return ["cancelled", execution]
            }
            const ageMillis = now - execution.startedMillis
            if ((isAgain || isDoubtful) && ageMillis > Duration.toMillis(policy.carryOn.deadline)) {
              return ["expired", execution]
            }
            const dueMillis = now + longestCallMillis
            return [
              isAgain ? "again" : "first",
              { ...execution, round, pause: undefined, dueMillis }
            ]
          }
        ),
        isStorageError
      )
      // An execution that is no longer stored may have sent its request before.
      return Option.getOrElse(permitted, () => "again" as const)
    })

  const Created = Schema.TaggedStruct("Created", { resource: Resource, atMillis: Schema.Number })
  const Open = Schema.TaggedStruct("Open", { ...Later.fields, error: refusal })

  /** One call that moves money, with its own retries. */
  const create = (
    businessKey: string,
    request: Request,
    round: number,
    isDoubtful: boolean,
    pause: string
  ) =>
    Activity.make({
      name: `create/${round}`,
      success: Schema.Union(Created, Open),
      error: CreationError,
      execute: Effect.gen(function* () {
        const startedMillis = yield* Clock.currentTimeMillis
        const permitted = yield* permit(businessKey, round, isDoubtful)
        if (permitted === "cancelled") {
          return yield* new Execution.ExecutionCancelled({
            workflow,
            businessKey,
            outcome: "notApplied"
          })
        }
        const key = IdempotencyKey.derive(operation, businessKey)
        if (permitted === "expired") return yield* tooOld(operation, key)
        const pauseMillis = yield* jitter(Policy.pauseMillis(policy.carryOn, round))
        return yield* definition.create(request, key).pipe(
          Effect.flatMap((resource) =>
            Effect.map(Clock.currentTimeMillis, (atMillis) => Created.make({ resource, atMillis }))
          ),
          Effect.catchAll((failure) => {
            const error =
              isDoubtful || permitted === "again" ? inDoubt(failure, operation, key) : failure
            return isWorthRepeating(error)
              ? Effect.as(
                  due(businessKey, pause, pauseMillis),
                  Open.make({ error, startedMillis, pauseMillis })
                )
              : Effect.fail(error)
          })
        )
      })
    })

  const Final = Schema.TaggedStruct("Final", { resource: Resource })
  const Pending = Schema.TaggedStruct("Pending", {
    startedMillis: Schema.Number,
    pauseMillis: Schema.Number,
    isCancelled: Schema.Boolean,
    cause: Schema.optional(Errors.ReadError)
  })

  /** One look at the resource. Whatever its reads fail with, the resource exists. */
  const look = (
    { look }: NonNullable<typeof wait>,
    businessKey: string,
    resource: Resource,
    round: number,
    pause: string
  ) =>
    Activity.make({
      name: `look/${round}`,
      success: Schema.Union(Final, Pending),
      execute: Effect.gen(function* () {
        const startedMillis = yield* Clock.currentTimeMillis
        const lookMillis = Duration.toMillis(policy.look.deadline)
        if (yield* due(businessKey, undefined, lookMillis)) {
          return Pending.make({ startedMillis, pauseMillis: 0, isCancelled: true })
        }
        return yield* look(resource, policy.look).pipe(
          Effect.map((resource) => Final.make({ resource })),
          Effect.catchAll((error) =>
            Effect.gen(function* () {
              const pauseMillis = yield* jitter(Policy.pauseMillis(policy.wait, round))
              const isCancelled = yield* due(businessKey, pause, pauseMillis)
              return Pending.make({
                startedMillis,
                pauseMillis,
                isCancelled,
                ...(isStillPending(error) ? {} : { cause: error })
              })
            })
          )
        )
      })
    })

  const createUntilKnown = (businessKey: string, request: Request) =>
    Effect.gen(function* () {
      let isDoubtful = false
      let firstMillis: number | undefined
      for (let round = 0; ; round++) {
        const pause = `carry-on/${round}`
        const result: typeof Created.Type | typeof Open.Type = yield* create(
          businessKey,
          request,
          round,
          isDoubtful,
          pause
        )
        if (result._tag === "Created") return result
        const { pauseMillis, startedMillis } = result
        const error: Errors.KeyedWriteError = result.error
        firstMillis ??= startedMillis
        isDoubtful ||= error._tag === "OutcomeUnknown"
        const endMillis = startedMillis + pauseMillis
        if (endMillis - firstMillis > Duration.toMillis(policy.carryOn.deadline)) {
          return yield* Effect.fail(error)
        }
        yield* sleep(pause, pauseMillis)
      }
    })

  const waitUntilFinal = (
    waiting: NonNullable<typeof wait>,
    businessKey: string,
    resource: Resource,
    sinceMillis: number
  ) =>
    Effect.gen(function* () {
      for (let round = 0; ; round++) {
        const pause = `wait/${round}`
        const result = yield* look(waiting, businessKey, resource, round, pause)
        if (result._tag === "Final") return result.resource
        const { cause, isCancelled, pauseMillis, startedMillis } = result
        if (isCancelled) {
          return yield* new Execution.ExecutionCancelled({
            workflow,
            businessKey,
            outcome: "applied",
            resource: idOf(resource)
          })
        }
        const endMillis = startedMillis + pauseMillis
        if (endMillis - sinceMillis > Duration.toMillis(policy.wait.deadline)) {
          const message = `${operation}: ${idOf(resource)} has no final status after ${startedMillis - sinceMillis} ms. It continues at the service.`
          return yield* Effect.fail(waiting.stillPending(resource, message, cause))
        }
        yield* sleep(pause, pauseMillis)
      }
    })

  return (payload: { readonly businessKey: string; readonly request: Request }) =>
    Effect.gen(function* () {
      const { businessKey, request } = payload
      const { atMillis, resource } = yield* createUntilKnown(businessKey, request)
      if (wait === undefined || wait.isFinal(resource)) return resource
      return yield* waitUntilFinal(wait, businessKey, resource, atMillis)
    })
}
