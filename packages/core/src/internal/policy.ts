/**
 * Checks the numbers of a retry policy, for a gateway and for one call.
 */
import type * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Issue } from "../Errors.js"
import type * as Operation from "../Operation.js"
import type * as RetryPolicy from "../RetryPolicy.js"
import { withDefaults } from "./defaults.js"
import * as durations from "./durations.js"

/** A limit of `NaN` would be no limit. */
export const wholeNumber = (field: string, number: number, least: number): ReadonlyArray<Issue> =>
  Number.isSafeInteger(number) && number >= least
    ? []
    : [{ field, rule: `must be a whole number from ${least}` }]

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

/** The broken rules of a policy. `deadline` names the field that its deadline comes from. */
export const issuesOf = (
  policy: RetryPolicy.RetryPolicy,
  deadline = "retry.deadline"
): ReadonlyArray<Issue> => [
  ...wholeNumber("retry.attempts", policy.attempts, 1),
  ...wholeNumber("retry.budget", policy.budget, 0),
  ...duration("retry.base", policy.base, 0),
  ...duration("retry.cap", policy.cap, 0),
  // Without any time no attempt could be made.
  ...duration("retry.attemptTimeout", policy.attemptTimeout, 1),
  ...duration(deadline, policy.deadline, 1)
]

/** The policy of a gateway with the changes of one call. */
export const ofCall = (
  policy: RetryPolicy.RetryPolicy,
  { retry, timeout = policy.deadline }: Operation.CallOptions
): RetryPolicy.RetryPolicy => ({
  ...withDefaults(policy, { ...retry }),
  budget: policy.budget,
  deadline: timeout
})
