/**
 * Validates the retry policy of a gateway, and merges the options of one call into it.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Issue } from "../Errors.js"
import type * as Operation from "../Operation.js"
import type * as RetryPolicy from "../RetryPolicy.js"
import { withDefaults } from "./defaults.js"
import * as durations from "./durations.js"

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
  Option.match(durations.millisOf(input), {
    onNone: () => [{ field, rule: durations.rule }],
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
  { retry, timeout = policy.deadline, withinMillis = Infinity }: Operation.CallHooks
): RetryPolicy.RetryPolicy => ({
  ...withDefaults(policy, { ...retry }),
  deadline:
    withinMillis === Infinity
      ? timeout
      : Duration.min(Duration.decode(timeout), Duration.millis(withinMillis))
})
