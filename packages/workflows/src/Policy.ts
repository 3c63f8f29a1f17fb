/**
 * How long a workflow goes on, and how long it pauses in between.
 *
 * @since 0.1.0
 */
import * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * Durable pauses that grow. The engine stores one row per look, so the number of rows grows with the
 * logarithm of the time, not with the number of reads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pauses {
  /** The first pause. */
  readonly initial: Duration.DurationInput
  /** By how much each pause is longer than the one before; at least 1.1. Pauses have no upper limit. */
  readonly factor: number
  /** When the workflow gives up, counted from its first attempt. */
  readonly deadline: Duration.DurationInput
}

/**
 * One look at a resource: reads within one activity, with pauses in memory. A look that is lost in a crash
 * starts again.
 *
 * @since 0.1.0
 * @category models
 */
export interface Look {
  /** The pause before the second read of a look. */
  readonly initial: Duration.DurationInput
  /** At least 1. */
  readonly factor: number
  /** No pause between two reads of a look is longer. */
  readonly cap: Duration.DurationInput
  /** How long a look may take. */
  readonly deadline: Duration.DurationInput
}

/**
 * The pauses and deadlines of a workflow.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  /**
   * Between two calls that move money, if the outcome of the first is unknown, or it was not applied for a
   * reason that passes, such as a rate limit. Each call has its own retries; this is no second layer of
   * them, but their continuation after a durable pause, with the same key.
   */
  readonly carryOn: Pauses
  readonly look: Look
  /** Between two looks at a resource whose status is not final. */
  readonly wait: Pauses
}

/**
 * Most payments are final within the first look, a minute. After that, a pause is about half as long as
 * the time already waited. The wait ends after 30 days, and takes about 27 looks in all. A call whose
 * outcome stays unknown is repeated for a day: idempotency keys commonly live that long.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults: Policy = {
  carryOn: { initial: "5 seconds", factor: 2, deadline: "1 day" },
  look: { initial: "1 second", factor: 1.5, cap: "15 seconds", deadline: "1 minute" },
  wait: { initial: "30 seconds", factor: 1.5, deadline: "30 days" }
}

/**
 * A policy breaks rules. Nothing runs. `issues` lists every invalid field.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidPolicy extends Schema.TaggedError<InvalidPolicy>(
  "@manilla/workflows/InvalidPolicy"
)("InvalidPolicy", { issues: Schema.Array(Errors.Issue) }) {
  override get message(): string {
    return `the policy of a workflow is invalid: ${Issues.print(this.issues)}. A part that is left out has its default.`
  }
}

/**
 * The policy of the workflows that are built with it; {@link defaults} unless `layer` provides another.
 *
 * @since 0.1.0
 * @category services
 */
export class Current extends Context.Reference<Current>()("@manilla/workflows/Policy", {
  defaultValue: () => defaults
}) {}

/** With a smaller factor, the pauses of a long wait would store too many rows. */
const leastFactorOfPauses = 1.1

/**
 * A whole policy: a part that is left out has its default.
 *
 * @example
 * import * as Policy from "@manilla/workflows/Policy"
 *
 * const policy = Policy.make({ carryOn: { initial: "10 seconds", factor: 2, deadline: "12 hours" } })
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (policy: Partial<Policy> = {}): Either.Either<Policy, InvalidPolicy> => {
  const whole: Policy = { ...defaults, ...policy }
  const issues: Array<Errors.Issue> = []

  const check = (isValid: boolean, field: string, rule: string) => {
    if (!isValid) issues.push({ field, rule })
  }
  const durationOf = (field: string, input: Duration.DurationInput) =>
    check(
      Option.exists(millisOf(input), (millis) => millis >= 1 && Number.isFinite(millis)),
      field,
      'must be a finite duration of at least 1 millisecond, such as "30 seconds"'
    )
  const factorOf = (field: string, factor: number, least: number) =>
    check(
      Number.isFinite(factor) && factor >= least,
      field,
      `must be a finite number of at least ${least}`
    )

  for (const part of ["carryOn", "look", "wait"] as const) {
    if (!Predicate.isRecord(whole[part])) {
      check(false, part, "must be an object")
      continue
    }
    const { deadline, factor, initial } = whole[part]
    durationOf(`${part}.initial`, initial)
    factorOf(`${part}.factor`, factor, part === "look" ? 1 : leastFactorOfPauses)
    durationOf(`${part}.deadline`, deadline)
  }
  if (Predicate.isRecord(whole.look)) durationOf("look.cap", whole.look.cap)
  return issues.length === 0 ? Either.right(whole) : Either.left(new InvalidPolicy({ issues }))
}

/**
 * A layer that provides a policy to the workflows that are built with it. A part that is left out has its default.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (policy?: Partial<Policy>): Layer.Layer<never, InvalidPolicy> =>
  Layer.effect(Current, make(policy))

/** Effect takes a negative duration, and `NaN`, for zero. */
const millisOf = (input: unknown): Option.Option<number> =>
  Option.map(Duration.decodeUnknown(input), Duration.toMillis)

/**
 * The length of a pause in milliseconds, before jitter.
 *
 * @since 0.1.0
 * @category functions
 */
export const pauseMillis = ({ factor, initial }: Pauses, round: number): number =>
  Duration.toMillis(initial) * factor ** round
