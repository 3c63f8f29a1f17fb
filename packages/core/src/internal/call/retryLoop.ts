/**
 * The retry loop as a pure function from the state of a call and a failed attempt to the next step.
 * Time and randomness are arguments.
 */
import * as RetryPolicy from "../../RetryPolicy.js"
import type { Rules } from "./policy.js"

/** The state of a call. */
export interface State {
  readonly startedMillis: number
  /** The number of requests passed to the transport. */
  readonly sent: number
  readonly retries: number
  /** Whether the token was renewed, which happens at most once per call. */
  readonly renewed: boolean
  /** Whether a request is in flight, which may be applied. */
  readonly inFlight: boolean
  /** Whether any attempt that ended may have applied the write. */
  readonly doubtful: boolean
  /** Another resource that a response under this key described. The same one twice means that the key was reused. */
  readonly other: string | undefined
}

export const start = (nowMillis: number): State => ({
  startedMillis: nowMillis,
  sent: 0,
  retries: 0,
  renewed: false,
  inFlight: false,
  doubtful: false,
  other: undefined
})

/** The state when a request is passed to the transport. */
export const sending = (state: State): State => ({ ...state, sent: state.sent + 1, inFlight: true })

/** The result of a failed attempt, and the conditions for the next one. */
export interface Attempt {
  readonly fault: RetryPolicy.Fault
  readonly retryAfterMillis: number | undefined
  /** Whether the attempt had a token, which can be renewed. */
  readonly hasToken: boolean
  /** The resource in the response, if it is not the requested one. */
  readonly other: string | undefined
  readonly nowMillis: number
  /** A random number in [0, 1). */
  readonly chance: number
  /** Milliseconds until the retry budget allows a retry. */
  readonly budgetMillis: number
}

export type Next = Done | Again | Renew

export interface Done {
  readonly _tag: "Done"
  readonly state: State
  readonly because: Reason
}

/** Why a call ends. `rule`: the retry policy does not retry its fault. */
export type Reason = "rule" | "attempts" | "deadline" | "budget" | "key reused"

interface Again {
  readonly _tag: "Again"
  readonly state: State
  readonly afterMillis: number
}

/** Renew the token, and retry once. */
export interface Renew {
  readonly _tag: "Renew"
  readonly state: State
}

/**
 * The time left in which another attempt may start: never more than the deadline, even if the clock was
 * set back.
 */
export const leftMillis = (rules: Rules, { startedMillis }: State, nowMillis: number): number =>
  rules.deadlineMillis - rules.leastMillis - Math.max(0, nowMillis - startedMillis)

/** The timeout of an attempt that starts now. */
export const attemptMillis = (rules: Rules, state: State, nowMillis: number): number =>
  Math.min(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)

/** Decides what follows a failed attempt. A later attempt does not remove the doubt about an earlier one. */
export const decide = (rules: Rules, before: State, attempt: Attempt): Next => {
  const { fault, other } = attempt
  const { policy, replay } = rules
  const rule: RetryPolicy.Rule = RetryPolicy.table[fault]
  const state: State = {
    ...before,
    inFlight: false,
    doubtful: before.doubtful || rule.outcome !== "notApplied",
    other: other ?? before.other
  }
  const left = leftMillis(rules, state, attempt.nowMillis)
  const done = (because: Reason): Done => ({ _tag: "Done", state, because })

  if (replay._tag === "Keyed" && other !== undefined && other === before.other) {
    return done("key reused")
  }
  const decision = rule[replay._tag]
  if (decision === "stop") return done("rule")
  if (decision === "renew") {
    if (state.renewed || !attempt.hasToken) return done("rule")
    if (left <= 0) return done("deadline")
    return { _tag: "Renew", state: { ...state, renewed: true } }
  }
  const failedAttempts = state.retries + 1
  if (failedAttempts >= policy.attempts) return done("attempts")
  const { chance, retryAfterMillis } = attempt
  const pauseMillis = RetryPolicy.backoff(policy, failedAttempts, chance, retryAfterMillis)
  if (pauseMillis >= left) return done("deadline")
  const afterMillis = Math.max(pauseMillis, attempt.budgetMillis)
  if (afterMillis >= left) return done("budget")
  return { _tag: "Again", state: { ...state, retries: failedAttempts }, afterMillis }
}
