/**
 * The options of gateways, calls and waits: merges them with their defaults, checks them, and derives the
 * rules of an operation's retries from them.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Issue } from "../../Errors.js"
import type * as Operation from "../../Operation.js"
import type * as RetryPolicy from "../../RetryPolicy.js"

/** Merges options with defaults. A member that is `undefined` counts as not set. */
export const withDefaults = <A extends object>(defaults: A, options: Partial<A> = {}): A => {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...defaults, ...set }
}

/** The duration in milliseconds. Effect converts negative values and `NaN` to zero: here they are invalid. */
export const millisOf = (input: Duration.DurationInput): Option.Option<number> =>
  /-|NaN/.test(String(input))
    ? Option.none()
    : Option.map(Duration.decodeUnknown(input), Duration.toMillis)

/** The rule of an invalid duration. */
export const durationRule = 'must be a duration, such as "30 seconds"'

/** Rejects `NaN` too, which would disable a limit. */
export const wholeNumber = (field: string, number: number, least: number): ReadonlyArray<Issue> =>
  Number.isSafeInteger(number) && number >= least
    ? []
    : [{ field, rule: `must be a whole number of at least ${least}` }]

const duration = (
  field: string,
  input: Duration.DurationInput,
  leastMillis: number
): ReadonlyArray<Issue> =>
  Option.match(millisOf(input), {
    onNone: () => [{ field, rule: durationRule }],
    onSome: (millis) =>
      millis >= leastMillis ? [] : [{ field, rule: `must be at least ${leastMillis} millisecond` }]
  })

/** The issues of a policy. `deadline` is the name of the field that sets its deadline. */
export const issuesOf = (
  policy: RetryPolicy.RetryPolicy,
  deadline = "retry.deadline"
): ReadonlyArray<Issue> => [
  ...wholeNumber("retry.attempts", policy.attempts, 1),
  ...wholeNumber("retry.budget", policy.budget, 0),
  ...duration("retry.base", policy.base, 0),
  ...duration("retry.cap", policy.cap, 0),
  // A shorter timeout would leave no time for an attempt.
  ...duration("retry.attemptTimeout", policy.attemptTimeout, 1),
  ...duration(deadline, policy.deadline, 1)
]

/** The policy of a gateway with the overrides of one call. */
export const ofCall = (
  policy: RetryPolicy.RetryPolicy,
  { retry, timeout = policy.deadline }: Operation.CallOptions
): RetryPolicy.RetryPolicy => ({ ...withDefaults(policy, { ...retry }), deadline: timeout })

/** The retry policy of one operation, in milliseconds. */
export interface Rules {
  readonly policy: RetryPolicy.RetryPolicy
  readonly replay: RetryPolicy.Replay
  readonly attemptMillis: number
  readonly deadlineMillis: number
  /** The minimum time for an attempt of a write: with less, its outcome would probably be unknown. */
  readonly leastMillis: number
}

export const rulesOf = (policy: RetryPolicy.RetryPolicy, replay: RetryPolicy.Replay): Rules => {
  const attemptMillis = Duration.toMillis(policy.attemptTimeout)
  const deadlineMillis = Duration.toMillis(policy.deadline)
  const shorterMillis = Math.min(attemptMillis, deadlineMillis)
  const isReserved = replay._tag !== "Safe" && Number.isFinite(shorterMillis)
  const leastMillis = isReserved ? shorterMillis / 10 : 0
  return { policy, replay, attemptMillis, deadlineMillis, leastMillis }
}
