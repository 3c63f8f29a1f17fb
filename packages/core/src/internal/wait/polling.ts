/**
 * The loop of a wait: a read, then a read after each pause, until the deadline. The state of a wait is passed
 * from read to read: between reads it holds only a timer, to save memory.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Errors from "../../Errors.js"
import * as RetryPolicy from "../../RetryPolicy.js"
import * as fibers from "./fiber.js"
import type { Running } from "./fiber.js"

/** The limits of a wait. */
export interface Plan<in A> {
  readonly initialMillis: number
  readonly factor: number
  readonly capMillis: number
  readonly deadlineMillis: number
  readonly isFinal: (value: A) => boolean
}

/** Protects the service from waits with very short pauses. */
export const leastPauseMillis = 100

export interface Progress<out A> {
  /** The length of the next pause, before jitter. */
  readonly pauseMillis: number
  /** The last value read, or the created value. */
  readonly last: A | undefined
  /** The number of further 404s that count as replication lag, and do not end the wait. */
  readonly lags: number
  /** The error of the last read, if it failed. */
  readonly cause: Errors.ReadError | undefined
}

export interface Seen<out A> extends Progress<A> {
  readonly last: A
}

export const start = <A>({ initialMillis }: Plan<A>, created: A | undefined): Progress<A> => ({
  pauseMillis: initialMillis,
  last: created,
  lags: created === undefined ? 3 : Infinity,
  cause: undefined
})

/** Why a wait ended without a final status. */
export type GaveUp<A> = OutOfTime<A> | Permanent<A>

interface OutOfTime<out A> {
  readonly _tag: "OutOfTime"
  readonly last: A | undefined
  readonly cause: Errors.ReadError | undefined
}

/** The last read failed, and no other read can succeed. */
interface Permanent<out A> {
  readonly _tag: "Permanent"
  readonly last: A | undefined
  readonly cause: Errors.ReadError
}

/** `read` reads once within the given time; `None` if the time ran out before the read could start. */
export const make = <A>(
  fiber: Running,
  plan: Plan<A>,
  read: (leftMillis: number) => Effect.Effect<Option.Option<A>, Errors.ReadError>
) => {
  const clock = fibers.clockOf(fiber)
  const sleeper = fibers.makeSleeper(fiber)
  const startedMillis = clock.unsafeCurrentTimeMillis()
  /** Never more than the deadline, even if the clock was set back. */
  const left = () =>
    plan.deadlineMillis - Math.max(0, clock.unsafeCurrentTimeMillis() - startedMillis)

  /** Reads immediately, and after each failure again after a pause, until a read succeeds. */
  const look = (progress: Progress<A>): Effect.Effect<Seen<A>, GaveUp<A>> =>
    Effect.suspend(() => {
      const leftMillis = left()
      // A read in the last moments would time out, and hide the cause of the failure before it.
      const isTooLate =
        leftMillis <= 0 || (progress.cause !== undefined && leftMillis < leastPauseMillis)
      if (isTooLate) {
        return Effect.fail({ _tag: "OutOfTime", last: progress.last, cause: progress.cause })
      }
      return Effect.flatMap(Effect.either(read(leftMillis)), (result) => {
        if (Either.isRight(result)) {
          return Option.isSome(result.right)
            ? Effect.succeed({
                ...progress,
                last: result.right.value,
                lags: Infinity,
                cause: undefined
              })
            : pause(progress)
        }
        const cause = result.left
        const { lags } = progress
        if (cause._tag === "NotFoundError" && lags > 0) {
          return pause({ ...progress, lags: lags - 1, cause })
        }
        return RetryPolicy.isPassing(cause)
          ? pause({ ...progress, cause })
          : Effect.fail({ _tag: "Permanent", last: progress.last, cause })
      })
    })

  /** Reads after a pause with jitter, or after a longer `Retry-After`. */
  const pause = (progress: Progress<A>): Effect.Effect<Seen<A>, GaveUp<A>> =>
    Effect.flatMap(Random.next, (chance) => {
      const longestMillis = Math.min(progress.pauseMillis, plan.capMillis)
      const drawn = longestMillis * (0.5 + chance / 2)
      const wanted = Math.ceil(Math.max(drawn, retryAfterOf(progress.cause)))
      const pauseMillis = longestMillis * plan.factor
      return Effect.flatMap(sleeper.sleep(Math.min(wanted, Math.max(0, left()))), () =>
        look({ ...progress, pauseMillis })
      )
    })

  return { look, pause, cancel: sleeper.cancel }
}

const retryAfterOf = (cause: Errors.ReadError | undefined): number =>
  cause !== undefined && "retryAfterMillis" in cause ? (cause.retryAfterMillis ?? 0) : 0
