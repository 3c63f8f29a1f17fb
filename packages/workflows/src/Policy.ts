/**
 * How long a workflow goes on, and how long it pauses in between.
 *
 * @since 0.1.0
 */
import * as Errors from "@manilla/core/Errors"
import * as Issues from "@manilla/core/Issues"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Effect takes a negative duration, and `NaN`, for zero. */
const Time = Schema.declare(
  (input): input is Duration.DurationInput =>
    Option.exists(
      Option.map(Duration.decodeUnknown(input), Duration.toMillis),
      (millis) => millis >= 1 && Number.isFinite(millis)
    ),
  { description: 'a finite duration of at least 1 millisecond, such as "30 seconds"' }
)

const factor = (least: number) =>
  Schema.Number.pipe(
    Schema.filter((value) => Number.isFinite(value) && value >= least, {
      description: `a finite number of at least ${least}`
    })
  )

const Pauses = Schema.Struct({
  /** The first pause. Jitter shortens each pause by up to half. */
  initial: Time,
  /** By how much pauses grow; at least 1.1, so that few rows are stored. They have no upper limit. */
  factor: factor(1.1),
  /** When the workflow gives up, counted from its first attempt. */
  deadline: Time
})

/**
 * The pauses and deadlines of a workflow.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Policy = Schema.Struct({
  /**
   * The pauses between the calls of a write with one key, after an unknown outcome or a temporary failure, such as a
   * rate limit. Each call has its own retries, of up to 3 minutes. No call follows a pause that would end after the
   * deadline. The service must remember a key for longer than both: after that, the same request moves money twice.
   */
  carryOn: Pauses,
  /**
   * One look at a resource: reads within one activity, with pauses in memory. A look that is lost in a crash
   * starts again.
   */
  look: Schema.Struct({
    /** The pause before the second read of a look. */
    initial: Time,
    /** At least 1. */
    factor: factor(1),
    /** No pause between two reads of a look is longer. */
    cap: Time,
    /** How long a look may take. If its first read takes longer, it sees nothing. */
    deadline: Time
  }),
  /** Between two looks at a resource whose status is not final. */
  wait: Pauses
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Policy extends Schema.Schema.Type<typeof Policy> {}

/**
 * Most payments are final within the first look, a minute. After that, a pause is about half as long as the time already
 * waited: about 27 looks in 30 days. A call whose outcome stays unknown is repeated for less than a day: idempotency keys
 * commonly live that long.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults: Policy = {
  carryOn: { initial: "5 seconds", factor: 2, deadline: "23 hours" },
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

const issuesOf = Issues.validator(Policy)

/**
 * A layer that provides a policy to the workflows that are built with it. A part that is left out has its default.
 *
 * @example
 * import * as Policy from "@manilla/workflows/Policy"
 *
 * const policy = Policy.layer({ carryOn: { initial: "10 seconds", factor: 2, deadline: "12 hours" } })
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (policy: Partial<Policy> = {}): Layer.Layer<never, InvalidPolicy> =>
  Layer.effect(
    Current,
    Effect.suspend(() => {
      const whole: Policy = { ...defaults, ...policy }
      const issues = issuesOf(whole)
      return issues.length === 0 ? Effect.succeed(whole) : new InvalidPolicy({ issues })
    })
  )
