/**
 * Waiting for a resource to settle, by reading it again and again: the service has no events
 * (interface section 6).
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Errors from "./Errors.js"
import { asItIs } from "./internal/asItIs.js"
import { withDefaults } from "./internal/defaults.js"
import * as durations from "./internal/durations.js"
import * as interruption from "./internal/interruption.js"
import * as permits from "./internal/permits.js"
import * as unforeseen from "./internal/unforeseen.js"
import * as Issues from "./Issues.js"
import * as RetryPolicy from "./RetryPolicy.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface WaitPolicy {
  /** The pause before the second read; 100 ms at least. The first read is at once. */
  readonly initial: Duration.DurationInput
  /** By how much each pause is longer than the one before; 1 at least. */
  readonly factor: number
  /** No pause is longer than this. Each is drawn between half and the whole of its length. */
  readonly cap: Duration.DurationInput
  /** How long the wait may take altogether. */
  readonly deadline: Duration.DurationInput
}

/**
 * Pauses from 1 second, half as long again each time, up to 15 seconds; 10 minutes altogether.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults: WaitPolicy = {
  initial: "1 second",
  factor: 1.5,
  cap: "15 seconds",
  deadline: "10 minutes"
}

/**
 * The fields of a domain's `StillPending`, beside the id or reference to wait for again: a wait that
 * ended before its subject settled. The subject goes on at the service.
 *
 * @since 0.1.0
 * @category errors
 */
export const stillPending = <A, I>(subject: Schema.Schema<A, I>) => ({
  operation: Schema.String,
  message: Schema.String,
  /** The last value read, if any read succeeded. */
  last: Schema.optional(subject),
  /** Why the last read failed, if it did. */
  cause: Schema.optional(Errors.ReadError)
})

/**
 * What is waited for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject<Id, A, I, StillPending> {
  /** The operation that reads it, such as `Payments.get`. */
  readonly operation: string
  readonly schema: Schema.Schema<A, I>
  readonly read: (id: Id) => Effect.Effect<A, Errors.ReadError>
  /** Whether a value ends a wait that does not say so itself; {@link isSettled} unless set. */
  readonly isOver?: ((value: A) => boolean) | undefined
  readonly stillPending: (
    id: Id,
    fields: {
      readonly operation: string
      readonly message: string
      readonly last: A | undefined
      readonly cause: Errors.ReadError | undefined
    },
    /** For the error's constructor: what it is made of was checked when it was read. */
    options: Schema.MakeOptions
  ) => StillPending
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options<A> extends Partial<WaitPolicy> {
  /** Whether a value ends the wait; unless set, what settles the kind of resource. */
  readonly until?: ((value: A) => boolean) | undefined
}

/**
 * A wait is over when the status is no longer `PENDING`. The interface shows `PENDING` and
 * `COMPLETED` only: any other status ends the wait too, and is the caller's to judge.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSettled = ({ status }: { readonly status: string }): boolean => status !== "PENDING"

/** What a wait goes by. */
interface Plan<in A> {
  readonly initialMillis: number
  readonly factor: number
  readonly capMillis: number
  readonly deadlineMillis: number
  readonly isOver: (value: A) => boolean
}

/** However the pauses are set, a wait does not hammer the service. */
const leastPauseMillis = 100

/** Enough to keep many waits moving, few enough to leave the service and the gateway in peace. */
const concurrentReads = 64

const waitsInFlight = Metric.gauge("manilla_waits_in_flight", {
  description: "Waits for a resource to settle that are under way"
})

/** Counts a wait for as long as its scope is open. */
const counted = Effect.acquireRelease(Metric.modify(waitsInFlight, 1), () =>
  Metric.modify(waitsInFlight, -1)
)

/**
 * The ways to wait for one kind of resource. All waits together read at most 64 at a time; between
 * reads a wait is one sleeping fiber.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Id extends string, A extends { readonly status: string }, I, StillPending>(
  subject: Subject<Id, A, I, StillPending>
) => {
  const { withPermit } = permits.make(concurrentReads)
  const equivalence = Schema.equivalence(subject.schema)
  /** What a caller has wiped since it was given cannot be compared any more. */
  const isSame = (one: A, next: A): boolean => {
    try {
      return equivalence(one, next)
    } catch {
      return false
    }
  }

  const refused = (...issues: ReadonlyArray<Errors.Issue>) =>
    new Errors.InvalidRequest({
      operation: subject.operation,
      message: `${subject.operation} was not begun: ${Issues.print(issues)}. Nothing was sent.`,
      issues
    })

  const planOf = (options: Options<A>): Effect.Effect<Plan<A>, Errors.InvalidRequest> =>
    Effect.try({
      try: () => ({ ...withDefaults(defaults, options), until: options.until }),
      catch: () => refused({ field: "wait", rule: "must be options that can be read" })
    }).pipe(
      Effect.flatMap(({ cap, deadline, factor, initial, until }) => {
        if (typeof factor !== "number") {
          return refused({ field: "wait.factor", rule: "must be a number" })
        }
        if (until !== undefined && typeof until !== "function") {
          return refused({ field: "wait.until", rule: "must be a function" })
        }
        const millis = Record.map({ initial, cap, deadline }, durations.millisOf)
        return Option.match(Option.all(millis), {
          onNone: () =>
            refused(
              ...Object.keys(Record.filter(millis, Option.isNone)).map((name) => ({
                field: `wait.${name}`,
                rule: durations.rule
              }))
            ),
          onSome: (whole) =>
            Effect.succeed({
              initialMillis: Math.max(leastPauseMillis, whole.initial),
              factor: factor >= 1 ? factor : 1,
              capMillis: Math.max(leastPauseMillis, whole.cap),
              deadlineMillis: whole.deadline,
              isOver: until ?? subject.isOver ?? isSettled
            })
        })
      })
    )

  const stillPending = (
    id: Id,
    message: string,
    last: A | undefined,
    cause: Errors.ReadError | undefined
  ) => subject.stillPending(id, { operation: subject.operation, message, last, cause }, asItIs)

  const notFollowed = (
    id: Id,
    why: string,
    last: A | undefined,
    cause: Errors.ReadError | undefined
  ) =>
    stillPending(
      id,
      `${subject.operation}: ${id} was created, and cannot be followed: ${why}`,
      last,
      cause
    )

  /**
   * Successive values, each read after its pause. Fails with a `StillPending` when the deadline comes
   * first, and with what `permanent` makes of a read that would fail again.
   */
  const reader = <E>(
    id: Id,
    { capMillis, deadlineMillis, factor, initialMillis }: Plan<A>,
    created: A | undefined,
    permanent: (cause: Errors.ReadError, last: A | undefined) => E
  ) =>
    Effect.map(Clock.currentTimeMillis, (startedMillis) => {
      let pauseMillis = initialMillis
      let first = true
      let last = created
      let cause: Errors.ReadError | undefined

      const leftMillis = Effect.map(
        Clock.currentTimeMillis,
        (nowMillis) => startedMillis + deadlineMillis - nowMillis
      )
      const pause = Effect.gen(function* () {
        const chance = yield* Random.next
        const length = Math.min(pauseMillis, capMillis) * (0.5 + chance / 2)
        pauseMillis = Math.min(pauseMillis * factor, capMillis)
        yield* Effect.sleep(Math.min(Math.ceil(length), Math.max(0, yield* leftMillis)))
      })
      const next: Effect.Effect<A, E | StillPending> = Effect.gen(function* () {
        for (;;) {
          if (!first) yield* pause
          first = false
          const left = yield* leftMillis
          if (left <= 0) {
            const message = outOfTime(subject.operation, id, deadlineMillis, last, cause)
            return yield* Effect.fail(stillPending(id, message, last, cause))
          }
          const read = yield* withPermit(subject.read(id)).pipe(
            Effect.either,
            Effect.timeoutOption(left)
          )
          if (Option.isNone(read)) continue
          if (Either.isRight(read.value)) {
            last = read.value.right
            cause = undefined
            return last
          }
          cause = read.value.left
          // What was created is there, even if a read that lags has not seen it yet.
          const lags = created !== undefined && cause._tag === "NotFound"
          if (!lags && !RetryPolicy.isPassing(cause))
            return yield* Effect.fail(permanent(cause, last))
        }
      })
      return next
    })

  const wait = <E>(
    id: Id,
    plan: Plan<A>,
    created: A | undefined,
    permanent: (cause: Errors.ReadError, last: A | undefined) => E
  ): Effect.Effect<A, E | StillPending> =>
    Effect.gen(function* () {
      yield* counted
      const next = yield* reader(id, plan, created, permanent)
      return yield* Effect.repeat(next, { until: plan.isOver })
    }).pipe(Effect.scoped)

  /** Reads until the status settles, and gives the settled value. */
  const awaitSettled = (
    id: Id,
    options: Options<A> = {}
  ): Effect.Effect<A, Errors.ReadError | StillPending> =>
    Effect.flatMap(planOf(options), (plan) => wait(id, plan, undefined, identity))

  /**
   * Creates and awaits. What was created is never lost: whatever ends the wait is a `StillPending`
   * that carries what was last seen of it, its creation included, and an interruption is warned of,
   * also when it comes between the two.
   */
  const createAndAwait = <E>(
    create: Effect.Effect<A, E>,
    idOf: (created: A) => Id,
    options: Options<A> = {}
  ): Effect.Effect<A, E | Errors.InvalidRequest | StillPending> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        // Before anything is created.
        const plan = yield* planOf(options)
        const created = yield* interruption.handOver(restore, create)
        const id = idOf(created)
        let seen = created
        const isOver = (value: A): boolean => {
          seen = value
          return plan.isOver(value)
        }
        return yield* restore(
          wait(id, { ...plan, isOver }, created, (cause, last) =>
            notFollowed(id, cause.message, last, cause)
          ).pipe(
            // Such as an `until` that throws.
            unforeseen.orElse((cause) =>
              Effect.fail(notFollowed(id, wordsOf(cause), seen, undefined))
            )
          )
        ).pipe(
          interruption.warn(
            () =>
              `${subject.operation}: the caller was interrupted; what was created goes on at the service, as ${id}.`
          )
        )
      })
    )

  /** The distinct values as they are read, ending with the one that settles. */
  const changes = (
    id: Id,
    options: Options<A> = {}
  ): Stream.Stream<A, Errors.ReadError | StillPending> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const plan = yield* planOf(options)
        yield* counted
        return Stream.repeatEffect(yield* reader(id, plan, undefined, identity)).pipe(
          Stream.takeUntil(plan.isOver),
          Stream.changesWith(isSame)
        )
      })
    )

  return { awaitSettled, changes, createAndAwait }
}

/** Of some things that are thrown, to show them throws. */
const wordsOf = (cause: Cause.Cause<unknown>): string => {
  try {
    return Cause.prettyErrors(cause)
      .map(({ message }) => message)
      .join("; ")
  } catch {
    return "what was thrown cannot be shown"
  }
}

const outOfTime = (
  operation: string,
  id: string,
  waitedMillis: number,
  last: { readonly status: string } | undefined,
  cause: Errors.ReadError | undefined
): string =>
  [
    `${operation}: ${id} has not settled within ${waitedMillis} ms`,
    last === undefined ? "; it was never read" : `; its status was ${last.status} when last seen`,
    cause === undefined ? "" : `; the last read failed: ${cause.message}`,
    ". It goes on at the service: wait for it again."
  ].join("")
