import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Execution from "../Execution.js"
import * as Policy from "../Policy.js"
import { jitter } from "./jitter.js"
import { once } from "./once.js"
import { pauseFor } from "./pauseFor.js"
import * as stored from "./stored.js"
import { cancelled, current, type InExecution, named, type Run } from "./run.js"

/** See `Durable.Step`. */
export interface Step<A, I, E, EI, R> {
  readonly name: string
  readonly success: Schema.Schema<A, I>
  readonly error: Schema.Schema<E, EI>
  readonly execute: Effect.Effect<A, E, R>
}

const orCancelled = once(<E, EI>(error: Schema.Schema<E, EI>) =>
  Schema.Union(error, Execution.ExecutionCancelled)
)

/** See `Durable.step`. */
export const step = <A, I, E, EI, R>({ error, execute, name, success }: Step<A, I, E, EI, R>) =>
  named(name)((run) =>
    stored.run(run, {
      name: `step/${name}`,
      success,
      error: orCancelled(error),
      execute: Effect.flatMap(
        run.isCancelled(),
        (is): Effect.Effect<A, E | Execution.ExecutionCancelled, R> =>
          is ? Effect.fail(cancelled(run)) : execute
      )
    })
  )

/** An `interrupt` ends the pause, and with it the execution. */
const pauseUnlessCancelled = (run: Run, pause: string, pauseMillis: number) =>
  pauseMillis <= 0
    ? Effect.void
    : Effect.flatMap(run.isCancelled(pause), (is) =>
        is ? Effect.fail(cancelled(run)) : pauseFor(pause, pauseMillis)
      )

/** See `Durable.sleep`. */
export const sleep = (name: string, duration: Duration.DurationInput) =>
  named(name)((run) => pauseUnlessCancelled(run, `sleep/${name}`, Duration.toMillis(duration)))

/** See `Durable.PollUntil`. */
export interface PollUntil<A, I, E, EI, F, R> {
  readonly name: string
  readonly success: Schema.Schema<A, I>
  readonly failure: Schema.Schema<E, EI>
  readonly look: (policy: Policy.Look) => Effect.Effect<Option.Option<A>, E, R>
  readonly expired: (waited: Duration.Duration, cause: Option.Option<E>) => F
}

const Pending = Schema.TaggedStruct("Pending", {
  startedMillis: Schema.Number,
  pauseMillis: Schema.Number
})
const Cancelled = Schema.TaggedStruct("Cancelled", {})

const looksOf = once(<A, I, E, EI>(success: Schema.Schema<A, I>, failure: Schema.Schema<E, EI>) => {
  const Done = Schema.TaggedStruct("Done", { value: success })
  // A later life may have another policy: it decides only about later looks.
  const Expired = Schema.TaggedStruct("Expired", {
    waitedMillis: Schema.Number,
    cause: Schema.Option(failure)
  })
  return { Done, Expired, Look: Schema.Union(Done, Pending, Cancelled, Expired) }
})

/** See `Durable.pollUntil`. */
export const pollUntil = <A, I, E, EI, F, R>({
  expired,
  failure,
  look,
  name,
  success
}: PollUntil<A, I, E, EI, F, R>) =>
  named(name)((run) =>
    Effect.gen(function* () {
      const { look: lookPolicy, wait } = run.policy
      const { Done, Expired, Look } = looksOf(success, failure)

      let firstMillis: number | undefined
      const lookOnce = (round: number) =>
        stored.run(run, {
          name: `look/${name}/${round}`,
          success: Look,
          error: Schema.Never,
          execute: Effect.gen(function* () {
            const startedMillis = yield* Clock.currentTimeMillis
            if (yield* run.isCancelled()) return Cancelled.make()
            const seen = yield* Effect.either(look(lookPolicy))
            if (Either.isRight(seen) && Option.isSome(seen.right)) {
              return Done.make({ value: seen.right.value })
            }
            const pauseMillis = yield* jitter(Policy.pauseMillis(wait, round))
            const waitedMillis = startedMillis - (firstMillis ?? startedMillis)
            return waitedMillis + pauseMillis > Duration.toMillis(wait.deadline)
              ? Expired.make({ waitedMillis, cause: Either.getLeft(seen) })
              : Pending.make({ startedMillis, pauseMillis })
          })
        })

      for (let round = 0; ; round++) {
        const result: typeof Look.Type = yield* lookOnce(round)
        switch (result._tag) {
          case "Done":
            return result.value
          case "Cancelled":
            return yield* cancelled(run)
          case "Expired":
            return yield* Effect.fail(expired(Duration.millis(result.waitedMillis), result.cause))
          case "Pending":
            firstMillis ??= result.startedMillis
            yield* pauseUnlessCancelled(run, `wait/${name}/${round}`, result.pauseMillis)
        }
      }
    })
  )

/** The compensations of a run, in the order of the steps that they undo. */
export class Compensations extends Context.Tag("@manilla/workflows/Compensations")<
  Compensations,
  Array<Effect.Effect<void>>
>() {}

/** See `Durable.compensate`. */
export const compensate = <A, E, R, R2>(
  effect: Effect.Effect<A, E, R>,
  compensation: (value: A) => Effect.Effect<void, never, R2>
) =>
  Effect.gen(function* () {
    const compensations = yield* Compensations
    const context = yield* Effect.context<R2>()
    const value = yield* effect
    compensations.push(Effect.provide(compensation(value), context))
    return value
  })

/** See `Durable.compensating`. */
export const compensating = <A, E, R>(
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, Compensations> | InExecution> =>
  Effect.suspend(() => {
    const compensations: Array<Effect.Effect<void>> = []
    return body.pipe(
      Effect.provideService(Compensations, compensations),
      Effect.catchAll((error) =>
        Effect.gen(function* () {
          const run = yield* current
          run.isCompensating = true
          // After a write that moved money although it ended with an error, or that may have, nothing is undone.
          const undone = run.money.isInDoubt ? [] : compensations.reverse()
          yield* Effect.forEach(undone, (compensation) => compensation, { discard: true })
          return yield* Effect.fail(error)
        })
      )
    )
  })
