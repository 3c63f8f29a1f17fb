import * as Errors from "@manilla/core/Errors"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Body from "@manilla/workflow-engine/Body"
import { memoize } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Names from "@manilla/workflow-engine/Names"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Doubt from "../Doubt.js"
import * as Policy from "../Policy.js"
import * as blocks from "./blocks.js"
import * as pauses from "./pauses.js"

export const WriteError = Schema.Union(Errors.KeyedWriteError, Execution.ExecutionCancelled)

export interface Options<A, I, R> {
  /** A name that no other block of the body has, such as `Shop.refund`. It is the `operation` of its errors too. */
  readonly operation: string
  /**
   * The idempotency key of the request. Take it from the payload: a new version of the workflow must send the same. Every
   * request of this write has the key of the first, also if the body has another one when it runs again. A second write of a
   * body needs another key, such as `IdempotencyKey.derive(key, "refund")`.
   */
  readonly key: IdempotencyKey.IdempotencyKey
  readonly success: Schema.Schema<A, I>
  /** The id of the resource, for `ExecutionCancelled`. */
  readonly idOf: (resource: A) => string
  /**
   * The call, with its own retries. It may run more than once, always with the same key. Manilla's clients fail as needed.
   * A call of your own fails, if the response shows that nothing was applied, with the error of the status, such as
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
 * See `Durable.write`. A round stores a step `begin/…`, calls, stores the response as a step `write/…`, and after `Open`
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
      const claim = (key: IdempotencyKey.IdempotencyKey) =>
        blocks.claim(
          run,
          `Idempotency-Key: ${key}`,
          `two writes have the key "${key}". The service takes the second for the first.`
        )
      yield* claim(key)
      const { carryOn } = yield* Policy.Current
      const { sideEffects } = run
      const Result = resultOf(success)
      const deadlineMillis = Duration.toMillis(carryOn.deadline)
      let state = Doubt.start({ operation, key, deadlineMillis, sentMillis })

      /** The body counts a write as open while a request of it may be applied. */
      const moveTo = (next: Doubt.State) => {
        state = next
        if (state.isInDoubt || state.isSending) sideEffects.open.add(operation)
        else sideEffects.open.delete(operation)
      }
      moveTo(state)
      const on = (event: Doubt.Event) => {
        const next = Doubt.next(state, event)
        moveTo(next.state)
        return next
      }

      /** One call, with its own retries. If the step is interrupted, it runs again in this run. */
      const call = (round: number) =>
        run.step({
          name: Names.make("write", { of: operation, round }),
          success: Result,
          error: WriteError,
          // The money has moved, and that must be told.
          instead: (why, exit) =>
            Exit.isSuccess(exit) && exit.value._tag === "Created"
              ? Exit.fail(
                  new Errors.AppliedUnreadable({
                    operation,
                    message: why,
                    key: state.key,
                    status: 200,
                    issues: []
                  })
                )
              : Exit.die(why),
          execute: Effect.gen(function* () {
            const isCancelled = yield* run.isCancelled
            const pauseMillis = yield* pauses.nextMillis(carryOn, round)
            const nowMillis = yield* Clock.currentTimeMillis
            const next = on({ _tag: "Sending", nowMillis, pauseMillis, isCancelled })
            if (next._tag === "Cancel") return yield* Body.cancellation(run)
            if (next._tag === "Fail") return yield* next.error
            return yield* send(state.key).pipe(
              Effect.map((resource) => ({ _tag: "Created", resource }) as const),
              // It only decides. The state follows when the result is stored.
              Effect.catchAll((answer) => {
                const after = Doubt.next(state, { _tag: "Answered", error: answer })
                return after._tag === "Pause"
                  ? Effect.succeed({ _tag: "Open", error: after.error, pauseMillis } as const)
                  : Effect.fail(after._tag === "Fail" ? after.error : answer)
              })
            )
          })
        })

      const ended = Effect.gen(function* () {
        for (let round = 0; ; round++) {
          const begun = yield* begin(run, operation, round, state.key)
          // A body may have another key when it runs again, such as a random one. That would pay again.
          if (begun.key !== undefined && begun.key !== state.key) {
            yield* claim(begun.key)
            state = { ...state, key: begun.key }
          }
          on({ _tag: "Begun", ...begun })
          const result: typeof Result.Type = yield* call(round)
          if (result._tag === "Created") {
            // Here, so that a defect of `idOf` leaves the write unknown.
            return { resource: result.resource, id: idOf(result.resource) }
          }
          on({ _tag: "Answered", error: result.error })
          const pause = Names.make("carryOn", { of: operation, round })
          yield* state.isInDoubt
            ? Effect.provideService(pauses.sleep(pause, result.pauseMillis), Body.Shielded, true)
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
        if (error === undefined) return void sideEffects.open.add(operation)
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

const Beginning = Schema.Struct({
  atMillis: Schema.Number,
  /** A version before stored none. */
  key: Schema.optional(IdempotencyKey.IdempotencyKey),
  /** The life that has stored it: two may begin in one millisecond. */
  life: Schema.optional(Schema.Number)
})

/** A write-ahead record: if another life has stored it, the request of the round may have left. */
const begin = (
  run: Body.Run,
  operation: string,
  round: number,
  key: IdempotencyKey.IdempotencyKey
) =>
  Effect.gen(function* () {
    // Equal to no stored one.
    let life = NaN
    const begun = yield* run.step({
      name: Names.make("begin", { of: operation, round }),
      success: Beginning,
      error: Schema.Never,
      isNote: true,
      execute: Effect.gen(function* () {
        life = yield* Random.next
        return { atMillis: yield* Clock.currentTimeMillis, key, life }
      })
    })
    return { ...begun, isFirst: begun.life === life }
  })
