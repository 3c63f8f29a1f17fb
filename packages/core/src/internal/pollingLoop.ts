/**
 * The loop of a wait: a read, and then a read after each pause, until the deadline. What a wait knows is
 * a value that goes from one read to the next; between reads it holds a timer and nothing else.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Errors from "../Errors.js"
import { clockOf } from "./fiber.js"
import type { Running } from "./fiber.js"
import * as timer from "./timer.js"

/** The numbers of a wait. */
export interface Plan<in A> {
  readonly initialMillis: number
  readonly factor: number
  readonly capMillis: number
  readonly deadlineMillis: number
  readonly isFinal: (value: A) => boolean
}

/** However the pauses are set, a wait does not hammer the service. */
export const leastPauseMillis = 100

export interface Progress<out A> {
  /** The length of the next pause, before chance shortens it. */
  readonly pauseMillis: number
  /** The last value read, or what was created. */
  readonly last: A | undefined
  /** Then it is there, even if a read that lags has not seen it yet. */
  readonly isCreated: boolean
  /** Why the last read failed, if it did. */
  readonly cause: Errors.ReadError | undefined
}

export interface Seen<out A> extends Progress<A> {
  readonly last: A
}

export const start = <A>({ initialMillis }: Plan<A>, created: A | undefined): Progress<A> => ({
  pauseMillis: initialMillis,
  last: created,
  isCreated: created !== undefined,
  cause: undefined
})

export interface Subject<in out A, out E> {
  /** Reads once; `None` when the time ran out before it could begin. */
  readonly read: (leftMillis: number) => Effect.Effect<Option.Option<A>, Errors.ReadError>
  /** Whether another read may well succeed. */
  readonly isPassing: (cause: Errors.ReadError) => boolean
  readonly permanent: (cause: Errors.ReadError, last: A | undefined) => E
  readonly outOfTime: (progress: Progress<A>) => E
}

export const make = <A, E>(
  fiber: Running,
  plan: Plan<A>,
  { isPassing, outOfTime, permanent, read }: Subject<A, E>
) => {
  const clock = clockOf(fiber)
  const sleeper = timer.makeSleeper(fiber)
  const endMillis = clock.unsafeCurrentTimeMillis() + plan.deadlineMillis
  const left = () => endMillis - clock.unsafeCurrentTimeMillis()

  /** Reads until a read succeeds: at once, and after a pause when it fails. */
  const look = (progress: Progress<A>): Effect.Effect<Seen<A>, E> =>
    Effect.suspend(() => {
      const leftMillis = left()
      if (leftMillis <= 0) return Effect.fail(outOfTime(progress))
      return Effect.flatMap(Effect.either(read(leftMillis)), (result) => {
        if (Either.isRight(result)) {
          return Option.isSome(result.right)
            ? Effect.succeed({ ...progress, last: result.right.value, cause: undefined })
            : pause(progress)
        }
        const cause = result.left
        const lags = progress.isCreated && cause._tag === "NotFoundError"
        return lags || isPassing(cause)
          ? pause({ ...progress, cause })
          : Effect.fail(permanent(cause, progress.last))
      })
    })

  /** Reads after a pause: half of its length to the whole, or as long as the service asked for. */
  const pause = (progress: Progress<A>): Effect.Effect<Seen<A>, E> =>
    Effect.flatMap(Random.next, (chance) => {
      const { capMillis, factor } = plan
      const drawn = Math.min(progress.pauseMillis, capMillis) * (0.5 + chance / 2)
      const wanted = Math.ceil(Math.max(drawn, retryAfterOf(progress.cause)))
      const pauseMillis = Math.min(progress.pauseMillis * factor, capMillis)
      return Effect.flatMap(sleeper.sleep(Math.min(wanted, Math.max(0, left()))), () =>
        look({ ...progress, pauseMillis })
      )
    })

  return { look, pause, cancel: sleeper.cancel }
}

const retryAfterOf = (cause: Errors.ReadError | undefined): number =>
  cause !== undefined && "retryAfterMillis" in cause ? (cause.retryAfterMillis ?? 0) : 0
