/**
 * Polls a resource until its status is final: the service has no events.
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
import { metricLabelsOf, sleep, within } from "./internal/wait/fiber.js"
import type { Running } from "./internal/wait/fiber.js"
import * as messages from "./internal/text/messages.js"
import * as policies from "./internal/call/policy.js"
import * as permits from "./internal/wait/permits.js"
import * as loop from "./internal/wait/polling.js"
import * as sanitize from "./internal/text/sanitize.js"
import * as telemetry from "./internal/call/telemetry.js"
import { withoutFrames } from "./internal/text/withoutFrames.js"
import * as Issues from "./Issues.js"
import * as Metadata from "./Metadata.js"
import type * as Operation from "./Operation.js"
import * as Sensitive from "./Sensitive.js"

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
 * Options of a call that creates a resource and waits for it. `timeout`, `retry` and `onResponse` are those
 * of the creation; `wait` is for the time after it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CreateAndAwaitOptions<A> extends Operation.CallOptions {
  /** The pauses between reads and the deadline of the wait; by default {@link defaults}, 10 minutes. */
  readonly wait?: Options<A> | undefined
}

/**
 * Returns `true` if the status is final: any status other than `PENDING`. A final status is not
 * necessarily a success: check for `COMPLETED`.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isFinal = ({ status }: { readonly status: string }): boolean => status !== "PENDING"

/**
 * The functions that wait for one type of resource.
 *
 * @since 0.1.0
 * @category models
 */
export interface Waits<in Id, A, out StillPending> {
  /**
   * Reads the resource until its status is final, and returns it. A final status is any other than
   * `PENDING` (of a payment link, `ACTIVE`), and not necessarily a success: check for `COMPLETED`. Retries
   * temporary read failures until the deadline, by default 10 minutes. An error does not mean that the
   * operation failed.
   */
  readonly awaitFinal: (
    id: Id,
    options?: Options<A>
  ) => Effect.Effect<A, Errors.ReadError | StillPending>

  /** Like `awaitFinal`, but emits each distinct value, ending with the final one. */
  readonly changes: (
    id: Id,
    options?: Options<A>
  ) => Stream.Stream<A, Errors.ReadError | StillPending>
}

/**
 * A type of resource to wait for, which is read by its `id` or by its `reference`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject<By extends "id" | "reference", A extends Resource<By>, StillPending> {
  /** The name of the wait in errors, such as `Payments.awaitFinal`. */
  readonly operation: string
  readonly by: By
  /** Reads the resource with the given options: one attempt, because the wait itself retries. */
  readonly read: (id: A[By], options: Operation.CallOptions) => Effect.Effect<A, Errors.ReadError>
  /** The default of the option `until`; {@link isFinal} by default. */
  readonly isFinal?: ((value: A) => boolean) | undefined
  readonly stillPending: (
    id: A[By],
    fields: {
      readonly operation: string
      readonly message: string
      readonly last: A | undefined
      readonly cause: Errors.ReadError | undefined
    },
    /** The id as it may be printed: redacted if the service repeated a secret there. */
    shown: string
  ) => StillPending
}

/**
 * A resource with a status.
 *
 * @since 0.1.0
 * @category models
 */
export type Resource<By extends string> = { readonly status: string } & {
  readonly [_ in By]: string
}

/** Enough for many waits, without overloading the service. */
const concurrentReads = 64

/** The most that one read takes: one that hangs must take neither the whole wait nor a permit for long. */
const readMostMillis = 30_000

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
export const make = <By extends "id" | "reference", A extends Resource<By>, StillPending>(
  subject: Subject<By, A, StillPending>
) => {
  type Id = A[By]
  const { by, operation } = subject
  const reads = permits.make(concurrentReads)

  const planOf = (options: Options<A>): Either.Either<loop.Plan<A>, Errors.InvalidRequestError> => {
    const issues: Array<Errors.Issue> = []
    const millisOf = (name: string, input: Duration.DurationInput): number =>
      Option.getOrElse(policies.millisOf(input), () => {
        issues.push({ field: `wait.${name}`, rule: policies.durationRule })
        return 0
      })
    const { cap, deadline, factor, initial } = policies.withDefaults(defaults, options)
    const plan: loop.Plan<A> = {
      initialMillis: Math.max(loop.leastPauseMillis, millisOf("initial", initial)),
      factor: factor >= 1 ? factor : 1,
      capMillis: Math.max(loop.leastPauseMillis, millisOf("cap", cap)),
      deadlineMillis: millisOf("deadline", deadline),
      isFinal: options.until ?? subject.isFinal ?? isFinal
    }
    return issues.length === 0
      ? Either.right(plan)
      : Either.left(Issues.invalidRequest(operation, issues))
  }

  /** Reads once within the time left. Holds a permit during the request only. */
  const read = (id: Id) => (leftMillis: number) => {
    const timeout = Math.max(1, Math.min(leftMillis, readMostMillis))
    const one = { timeout, retry: { attempts: 1 } }
    const limited = reads.withPermit(subject.read(id, one))
    return reads.isFree()
      ? Effect.asSome(limited)
      : Effect.flatMap(within(leftMillis, limited), (exit) =>
          exit === undefined ? Effect.succeedNone : Effect.asSome(exit)
        )
  }

  const stillPending = (
    id: Id,
    shown: string,
    message: string,
    { cause, last }: Pick<loop.GaveUp<A>, "cause" | "last">
  ): StillPending => {
    const error = withoutFrames(() =>
      subject.stillPending(id, { operation, message, last: undefined, cause }, shown)
    )
    // Not enumerable, so that printed errors do not contain the resource's personal data.
    return Object.defineProperty(error, "last", { value: last, enumerable: false })
  }

  const outOfTime = (
    id: Id,
    shownId: string,
    { deadlineMillis }: loop.Plan<A>,
    gaveUp: loop.GaveUp<A>,
    shown: sanitize.Sanitizer
  ): StillPending => {
    const { cause, last } = gaveUp
    const message = messages.waitOutOfTime(
      operation,
      shown.identifier(shownId),
      Duration.format(Duration.millis(deadlineMillis)),
      last && shownStatus(last.status),
      cause && shown.text(cause.message)
    )
    return stillPending(id, shownId, message, gaveUp)
  }

  const asRead =
    (id: Id, plan: loop.Plan<A>) =>
    (gaveUp: loop.GaveUp<A>): Errors.ReadError | StillPending =>
      gaveUp._tag === "Permanent" ? gaveUp.cause : outOfTime(id, id, plan, gaveUp, sanitize.plain)

  const wait = (
    id: Id,
    plan: loop.Plan<A>,
    created: A | undefined
  ): Effect.Effect<A, loop.GaveUp<A>> =>
    Effect.withFiberRuntime((fiber) => {
      const reader = loop.make(fiber, plan, read(id))
      const untilOver = (
        reading: Effect.Effect<loop.Seen<A>, loop.GaveUp<A>>
      ): Effect.Effect<A, loop.GaveUp<A>> =>
        Effect.flatMap(reading, (seen) =>
          plan.isFinal(seen.last) ? Effect.succeed(seen.last) : untilOver(reader.pause(seen))
        )
      const unregister = enter(fiber, reader.cancel)
      // One finalizer for all pauses: a finalizer for each needs more memory than the pause.
      return Effect.onExit(untilOver(reader.look(loop.start(plan, created))), () => unregister)
    })

  const awaitFinal = (
    id: Id,
    options: Options<A> = {}
  ): Effect.Effect<A, Errors.ReadError | StillPending> =>
    Effect.flatMap(planOf(options), (plan) =>
      Effect.mapError(wait(id, plan, undefined), asRead(id, plan))
    )

  /** Waits for a resource that was created: any error is a `StillPending` with it. */
  const awaitCreated = (
    created: A,
    shownId: string,
    plan: loop.Plan<A>,
    secrets: ReadonlyArray<string>
  ): Effect.Effect<A, StillPending> => {
    const id = created[by]
    const sanitizer = () => sanitize.make(secrets.map(sanitize.secret))
    let last = created
    const isFinal = (value: A): boolean => plan.isFinal((last = value))
    const failed = (why: string, gaveUp: Pick<loop.GaveUp<A>, "cause" | "last">) => {
      const shown = sanitizer()
      const text = messages.waitFailed(operation, shown.identifier(shownId), shown.text(why))
      return stillPending(id, shownId, text, gaveUp)
    }
    const waiting = Effect.suspend(() =>
      isFinal(created) ? Effect.succeed(created) : wait(id, { ...plan, isFinal }, created)
    )
    return Effect.catchAllCause(Sensitive.redacting(secrets)(waiting), (cause) => {
      const failure = Cause.failureOption(cause)
      if (Option.isNone(failure)) {
        // A defect, for example if `until` throws. The resource exists all the same.
        return Effect.fail(failed(messageOf(cause), { last, cause: undefined }))
      }
      const gaveUp = failure.value
      const error =
        gaveUp._tag === "Permanent"
          ? failed(gaveUp.cause.message, gaveUp)
          : outOfTime(id, shownId, plan, gaveUp, sanitizer())
      // A process that ends closes its token source and interrupts its calls in one step. The interruption
      // goes first, so that its warning names the resource.
      return Effect.zipRight(sleep(0), Effect.fail(error))
    })
  }

  /**
   * Creates a resource and waits for it, in a span. One that is final when it is created is not read. An error of
   * the wait is a `StillPending` with the resource, and an interruption after the creation logs a warning with its id
   * or reference.
   */
  const createAndAwait = <E, O extends CreateAndAwaitOptions<A>>(
    /** The name of the span, such as `Payments.collect`. */
    name: string,
    create: (options: O) => Effect.Effect<A, E>,
    options: O,
    /** Sensitive values of the request, which are redacted in messages. */
    secrets: () => ReadonlyArray<string> = () => []
  ): Effect.Effect<A, E | Errors.InvalidRequestError | StillPending> => {
    const follow = (plan: loop.Plan<A>) => {
      // Before the creation: later, the caller may have changed its request, or made it unreadable.
      const known = readable(secrets)
      /** Without secrets. Set synchronously by the creation: an interruption may discard its result. */
      let created: string | undefined
      const onResponse = (response: Operation.ResponseInfo) => {
        created = response[by]
        options.onResponse?.(response)
      }
      return Effect.onInterrupt(
        Effect.flatMap(create({ ...options, onResponse }), (resource) =>
          awaitCreated(resource, created ?? resource[by], plan, known)
        ),
        () =>
          created === undefined
            ? Effect.void
            : Effect.logWarning(messages.waitInterrupted(name, created))
      )
    }
    // The options are checked before anything is created.
    return telemetry.program(
      name,
      Effect.flatMap(planOf(options?.wait ?? {}), (plan) => Effect.suspend(() => follow(plan)))
    )
  }

  const changes = (
    id: Id,
    options: Options<A> = {}
  ): Stream.Stream<A, Errors.ReadError | StillPending> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const plan = yield* planOf(options)
        const fiber = yield* Effect.withFiberRuntime<Running>(Effect.succeed)
        const reader = loop.make(fiber, plan, read(id))
        yield* Effect.acquireRelease(
          Effect.sync(() => enter(fiber, reader.cancel)),
          (unregister) => unregister
        ).pipe(Effect.asVoid)
        const first: loop.Progress<A> = loop.start(plan, undefined)
        /** Reads until the value changes; none after a final one. */
        const next = (
          before: loop.Progress<A>
        ): Effect.Effect<Option.Option<readonly [A, loop.Seen<A>]>, loop.GaveUp<A>> =>
          before.last !== undefined && plan.isFinal(before.last)
            ? Effect.succeedNone
            : Effect.flatMap(
                before === first ? reader.look(before) : reader.pause(before),
                (seen) =>
                  Metadata.Equivalence(before.last, seen.last)
                    ? next(seen)
                    : Effect.succeedSome([seen.last, seen] as const)
              )
        return Stream.unfoldEffect(first, (before) =>
          Effect.mapError(next(before), asRead(id, plan))
        )
      })
    )

  const waits: Waits<Id, A, StillPending> = { awaitFinal, changes }
  return { waits, createAndAwait }
}

/** The secrets of the request; none if it cannot be read, because then nothing is created. */
const readable = (secrets: () => ReadonlyArray<string>): ReadonlyArray<string> => {
  try {
    return secrets()
  } catch {
    return []
  }
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const thrown = Cause.squash(cause)
  return thrown instanceof Error ? thrown.message : "a defect"
}

/** A status in the form of the known statuses. Any other text may contain a secret. */
const shownStatus = (status: string): string =>
  /^[A-Za-z][A-Za-z _-]{0,39}$/.test(status) ? status : "<redacted>"
