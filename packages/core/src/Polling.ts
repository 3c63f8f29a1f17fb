/**
 * Polls a resource until its status is final: the service has no events (interface section 6).
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Errors from "./Errors.js"
import { withoutValidation } from "./internal/withoutValidation.js"
import { withDefaults } from "./internal/defaults.js"
import * as durations from "./internal/durations.js"
import { metricLabelsOf } from "./internal/fiber.js"
import type { Running } from "./internal/fiber.js"
import * as permits from "./internal/permits.js"
import * as loop from "./internal/pollingLoop.js"
import * as sanitize from "./internal/sanitize.js"
import * as telemetry from "./internal/telemetry.js"
import * as Issues from "./Issues.js"
import type * as Operation from "./Operation.js"
import * as RetryPolicy from "./RetryPolicy.js"

/**
 * The pauses between reads, and the deadline of a wait.
 *
 * @since 0.1.0
 * @category models
 */
export interface WaitPolicy {
  /** The pause before the second read; at least 100 ms. The first read is immediate. */
  readonly initial: Duration.DurationInput
  /** The growth factor of the pauses; at least 1. */
  readonly factor: number
  /** The maximum pause. Jitter shortens each pause by up to half. */
  readonly cap: Duration.DurationInput
  /** The maximum duration of the wait. */
  readonly deadline: Duration.DurationInput
}

/**
 * Pauses from 1 second, growing by a factor of 1.5 up to 15 seconds; deadline 10 minutes.
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
 * Makes the fields of an error for a wait that ended before the status was final. The error also needs
 * the id or reference of the resource, to wait for it again.
 *
 * @since 0.1.0
 * @category errors
 */
export const stillPending = <A, I>(subject: Schema.Schema<A, I>) => ({
  operation: Schema.String,
  message: Schema.String,
  /** The last value read, if any read succeeded. */
  last: Schema.optional(subject),
  /** The error of the last read, if it failed. */
  cause: Schema.optional(Errors.ReadError)
})

/**
 * A type of resource to wait for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject<Id, A, I, StillPending> {
  /** The name of the wait in errors, such as `Payments.awaitFinal`. */
  readonly operation: string
  readonly schema: Schema.Schema<A, I>
  /** Reads the resource with the given options: one attempt, because the wait itself retries. */
  readonly read: (id: Id, options: Operation.CallOptions) => Effect.Effect<A, Errors.ReadError>
  /** The default of the option `until`; {@link isFinal} by default. */
  readonly isFinal?: ((value: A) => boolean) | undefined
  readonly stillPending: (
    id: Id,
    fields: {
      readonly operation: string
      readonly message: string
      readonly last: A | undefined
      readonly cause: Errors.ReadError | undefined
    },
    /** For the error's constructor: the fields are already validated. */
    options: Schema.MakeOptions
  ) => StillPending
}

/**
 * Options of a wait. They override the defaults of {@link WaitPolicy}.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<A> extends Partial<WaitPolicy> {
  /** Returns `true` for a value that ends the wait. By default, a value whose status is final. */
  readonly until?: ((value: A) => boolean) | undefined
}

/**
 * Returns `true` if the status is final: any status other than `PENDING`. A final status is not
 * necessarily a success: check for `COMPLETED`.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isFinal = ({ status }: { readonly status: string }): boolean => status !== "PENDING"

/** The options of one read. The policy requires a timeout of at least 1 ms. */
const onePoll = (leftMillis: number): Operation.CallHooks => ({
  withinMillis: Math.max(1, leftMillis),
  retry: { attempts: 1 }
})

/** Enough for many waits, without overloading the service. */
const concurrentReads = 64

const waitsInFlight = Metric.gauge("manilla_waits_in_flight", {
  description: "Waits for a final status that are in progress"
})

/** Counts a wait. Returns its end, which also cancels its pause. */
const enter = (fiber: Running, cancel: () => void): Effect.Effect<void> => {
  const labels = metricLabelsOf(fiber)
  waitsInFlight.unsafeModify(1, labels)
  return Effect.sync(() => {
    cancel()
    waitsInFlight.unsafeModify(-1, labels)
  })
}

/**
 * Makes the functions that wait for one type of resource. All waits share a limit of 64 concurrent
 * reads; between reads a wait is a sleeping fiber.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Id extends string, A extends { readonly status: string }, I, StillPending>(
  subject: Subject<Id, A, I, StillPending>
) => {
  const { operation } = subject
  const reads = permits.make(concurrentReads)
  const isSame = Schema.equivalence(subject.schema)

  const refused = (issues: ReadonlyArray<Errors.Issue>) =>
    new Errors.InvalidRequestError({
      operation,
      message: `${operation} did not start: ${Issues.print(issues)}. Nothing was sent.`,
      issues
    })

  /** JavaScript callers may pass `null`. */
  const planOf = (
    options: Options<A> | null
  ): Either.Either<loop.Plan<A>, Errors.InvalidRequestError> => {
    const issues: Array<Errors.Issue> = []
    const millisOf = (name: string, input: Duration.DurationInput): number =>
      Option.getOrElse(durations.millisOf(input), () => {
        issues.push({ field: `wait.${name}`, rule: durations.rule })
        return 0
      })
    const { cap, deadline, factor, initial } = withDefaults(defaults, options ?? {})
    const plan: loop.Plan<A> = {
      initialMillis: Math.max(loop.leastPauseMillis, millisOf("initial", initial)),
      factor: factor >= 1 ? factor : 1,
      capMillis: Math.max(loop.leastPauseMillis, millisOf("cap", cap)),
      deadlineMillis: millisOf("deadline", deadline),
      isFinal: options?.until ?? subject.isFinal ?? isFinal
    }
    if (typeof factor !== "number") issues.push({ field: "wait.factor", rule: "must be a number" })
    if (typeof plan.isFinal !== "function") {
      issues.push({ field: "wait.until", rule: "must be a function" })
    }
    return issues.length === 0 ? Either.right(plan) : Either.left(refused(issues))
  }

  const stillPending = (
    id: Id,
    message: string,
    { cause, last }: Pick<loop.Progress<A>, "cause" | "last">
  ): StillPending => {
    const error = subject.stillPending(
      id,
      { operation, message, last: undefined, cause },
      withoutValidation
    )
    // Not enumerable, so that printed errors do not contain the resource's personal data.
    return Object.defineProperty(error, "last", { value: last, enumerable: false })
  }

  /** Reads once within the time left. Holds a permit during the request only. */
  const read = (id: Id, leftMillis: number) => {
    const limited = reads.withPermit(subject.read(id, onePoll(leftMillis)))
    return reads.isFree() ? Effect.asSome(limited) : Effect.timeoutOption(limited, leftMillis)
  }

  /** The reads of one wait, in its fiber. */
  const readerOf = <E>(
    id: Id,
    plan: loop.Plan<A>,
    fiber: Running,
    permanent: (cause: Errors.ReadError, last: A | undefined) => E,
    sanitizer: () => sanitize.Sanitizer = () => sanitize.plain
  ) =>
    loop.make<A, E | StillPending>(fiber, plan, {
      read: (leftMillis) => read(id, leftMillis),
      isPassing: RetryPolicy.isPassing,
      permanent,
      outOfTime: (progress) =>
        stillPending(
          id,
          outOfTime(operation, id, plan.deadlineMillis, progress, sanitizer()),
          progress
        )
    })

  const wait = <E>(
    id: Id,
    plan: loop.Plan<A>,
    created: A | undefined,
    permanent: (cause: Errors.ReadError, last: A | undefined) => E,
    sanitizer: () => sanitize.Sanitizer = () => sanitize.plain
  ): Effect.Effect<A, E | StillPending> =>
    Effect.withFiberRuntime((fiber) => {
      const reader = readerOf(id, plan, fiber, permanent, sanitizer)
      const untilOver = (
        reading: Effect.Effect<loop.Seen<A>, E | StillPending>
      ): Effect.Effect<A, E | StillPending> =>
        Effect.flatMap(reading, (seen) =>
          plan.isFinal(seen.last) ? Effect.succeed(seen.last) : untilOver(reader.pause(seen))
        )
      const leave = enter(fiber, reader.cancel)
      // One finalizer for all pauses: a finalizer for each needs more memory than the pause.
      return Effect.onExit(untilOver(reader.look(loop.start(plan, created))), () => leave)
    })

  const asItFailed = (cause: Errors.ReadError): Errors.ReadError => cause

  /** Reads until the status is final, and returns the last value. */
  const awaitFinal = (
    id: Id,
    options: Options<A> = {}
  ): Effect.Effect<A, Errors.ReadError | StillPending> =>
    Effect.flatMap(planOf(options), (plan) => wait(id, plan, undefined, asItFailed))

  /**
   * Creates a resource and waits for it, in a span. Any error of the wait is a `StillPending` with the
   * resource, and an interruption logs a warning with its id.
   */
  const createAndAwait = <E>(
    /** The name of the span, such as `Payments.collect`. */
    name: string,
    /** Must call `onCreated` synchronously when the creation succeeds. */
    create: (onCreated: (created: A) => void) => Effect.Effect<A, E>,
    idOf: (created: A) => Id,
    options: Options<A> = {},
    /** Sensitive values of the request, which are redacted in messages. */
    secrets: () => ReadonlyArray<string> = () => []
  ): Effect.Effect<A, E | Errors.InvalidRequestError | StillPending> => {
    const sanitizer = () => sanitize.make(secrets().map(sanitize.secret))
    const shown = (id: Id) => sanitizer().identifier(id)
    const waitFailed = (id: Id, why: string, progress: Pick<loop.Progress<A>, "cause" | "last">) =>
      stillPending(
        id,
        `${operation}: ${shown(id)} was created, but the wait for it failed: ${why.replace(/\.$/, "")}. Wait for it again.`,
        progress
      )
    const follow = (plan: loop.Plan<A>) => {
      /** The resource as it was created or last read. */
      let seen: { readonly id: Id; last: A } | undefined
      const onCreated = (created: A) => (seen = { id: idOf(created), last: created })
      const followed = Effect.flatMap(create(onCreated), (created) => {
        const known = onCreated(created)
        const isFinal = (value: A): boolean => {
          known.last = value
          return plan.isFinal(value)
        }
        return Effect.catchAllCause(
          wait(
            known.id,
            { ...plan, isFinal },
            created,
            (cause, last) => waitFailed(known.id, sanitizer().text(cause.message), { last, cause }),
            sanitizer
          ),
          // A defect, for example if `until` throws.
          (cause) =>
            Effect.fail(
              Option.getOrElse(Cause.failureOption(cause), () =>
                waitFailed(known.id, sanitizer().text(messageOf(cause)), {
                  last: known.last,
                  cause: undefined
                })
              )
            )
        )
      })
      return Effect.onInterrupt(followed, () =>
        seen === undefined
          ? Effect.void
          : Effect.logWarning(
              `${operation}: the caller was interrupted; the service may still process ${shown(seen.id)}. Wait for it again.`
            )
      )
    }
    // The options are checked before anything is created.
    return telemetry.program(
      name,
      Effect.flatMap(planOf(options), (plan) => Effect.suspend(() => follow(plan)))
    )
  }

  /** Emits each distinct value that is read, and ends with the final one. */
  const changes = (
    id: Id,
    options: Options<A> = {}
  ): Stream.Stream<A, Errors.ReadError | StillPending> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const plan = yield* planOf(options)
        const fiber = yield* Effect.withFiberRuntime<Running>(Effect.succeed)
        const reader = readerOf(id, plan, fiber, asItFailed)
        yield* Effect.acquireRelease(
          Effect.sync(() => enter(fiber, reader.cancel)),
          (leave) => leave
        ).pipe(Effect.asVoid)
        const first = loop.start(plan, undefined)
        return Stream.unfoldEffect(first, (progress) =>
          Effect.map(progress === first ? reader.look(progress) : reader.pause(progress), (seen) =>
            Option.some([seen.last, seen] as const)
          )
        ).pipe(Stream.takeUntil(plan.isFinal), Stream.changesWith(isSame))
      })
    )

  return { awaitFinal, changes, createAndAwait }
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const thrown = Cause.squash(cause)
  return thrown instanceof Error ? thrown.message : "a defect"
}

/** A status in the form of the known statuses. Any other text may contain a secret. */
const shownStatus = (status: string): string =>
  /^[A-Za-z][A-Za-z _-]{0,39}$/.test(status) ? status : "<redacted>"

const outOfTime = (
  operation: string,
  id: string,
  waitedMillis: number,
  { cause, last }: Pick<loop.Progress<{ readonly status: string }>, "cause" | "last">,
  shown: sanitize.Sanitizer
): string =>
  [
    `${operation}: ${shown.identifier(id)} has no final status after ${Duration.format(Duration.millis(waitedMillis))}`,
    last === undefined
      ? "; no read succeeded"
      : `; its last status was ${shownStatus(last.status)}`,
    cause === undefined
      ? ""
      : `; the last read failed: ${shown.text(cause.message).replace(/\.$/, "")}`,
    ". The service may still process it: wait for it again."
  ].join("")
