/**
 * How long a workflow goes on, and how long it pauses in between.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"

/**
 * Durable pauses that grow. The engine stores six rows per pause and look, so the number of rows grows with the
 * logarithm of the time, not with the number of reads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pauses {
  /** The first pause. */
  readonly initial: Duration.DurationInput
  /** By how much each pause is longer than the one before; more than 1. Pauses have no upper limit. */
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
  readonly factor: number
  /** No pause between two reads of a look is longer. */
  readonly cap: Duration.DurationInput
  /** How long a look may take. */
  readonly deadline: Duration.DurationInput
}

/**
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
 * The length of a pause in milliseconds, before jitter.
 *
 * @since 0.1.0
 * @category functions
 */
export const pauseMillis = ({ factor, initial }: Pauses, round: number): number =>
  Duration.toMillis(initial) * Math.max(1.1, factor) ** round
