/**
 * The retry loop as a value: the state of a call, and the next step after a failed attempt. Pure: time
 * and chance are arguments.
 */
import * as Duration from "effect/Duration"
import type * as Operation from "../Operation.js"
import * as RetryPolicy from "../RetryPolicy.js"

/** The policy in numbers, for one operation. */
export interface Rules {
  readonly policy: RetryPolicy.RetryPolicy
  readonly replay: Operation.Replay
  readonly attemptMillis: number
  readonly deadlineMillis: number
  /** A write does not begin with less time than this: its outcome would most likely be unknown. */
  readonly leastMillis: number
}

export const rulesOf = (policy: RetryPolicy.RetryPolicy, replay: Operation.Replay): Rules => {
  const attemptMillis = Duration.toMillis(policy.attemptTimeout)
  const deadlineMillis = Duration.toMillis(policy.deadline)
  const leastMillis = replay._tag === "Safe" ? 0 : Math.min(attemptMillis, deadlineMillis) / 10
  return { policy, replay, attemptMillis, deadlineMillis, leastMillis }
}

/** The state of a call between its attempts. */
export interface State {
  readonly startedMillis: number
  /** Requests that were handed to the transport. */
  readonly sent: number
  readonly retries: number
  /** Whether the token was renewed: once in a call. */
  readonly renewed: boolean
  /** Whether the write may have been applied, by any attempt so far. */
  readonly doubtful: boolean
  /** The other resource that a response under this key was about. */
  readonly other: string | undefined
}

export const start = (nowMillis: number): State => ({
  startedMillis: nowMillis,
  sent: 0,
  retries: 0,
  renewed: false,
  doubtful: false,
  other: undefined
})

/** The state while a request is in flight: until its response arrives, it may have been applied. */
export const sending = (state: State): State => ({ ...state, sent: state.sent + 1, doubtful: true })

/** A failed attempt, and the conditions of the next one. */
export interface Failed {
  readonly fault: RetryPolicy.Fault
  readonly retryAfterMillis: number | undefined
  /** Whether it was sent with a token, which can be renewed. */
  readonly hasToken: boolean
  /** The resource that the response is about, if it is not the requested one. */
  readonly other: string | undefined
  readonly nowMillis: number
  /** In [0, 1). */
  readonly chance: number
  /** Milliseconds until the retry budget lets a retry go. */
  readonly budgetMillis: number
}

export type Step = Done | Again | Renew

export interface Done {
  readonly _tag: "Done"
  readonly state: State
  readonly because: Reason
}

/** Why a call ends. `rule`: its fault is not retried. */
export type Reason = "rule" | "attempts" | "deadline" | "budget" | "key reused"

export interface Again {
  readonly _tag: "Again"
  readonly state: State
  readonly afterMillis: number
}

/** Renew the token, and try once more. */
export interface Renew {
  readonly _tag: "Renew"
  readonly state: State
}

/**
 * The time in which another attempt may begin. A clock that was set back gives no more than the policy
 * does.
 */
export const leftMillis = (rules: Rules, { startedMillis }: State, nowMillis: number): number =>
  rules.deadlineMillis - rules.leastMillis - Math.max(0, nowMillis - startedMillis)

/** The time of an attempt that begins now. */
export const attemptMillis = (rules: Rules, state: State, nowMillis: number): number =>
  Math.min(rules.attemptMillis, leftMillis(rules, state, nowMillis) + rules.leastMillis)

/** `before` is the state before the attempt: no later attempt removes its doubt. */
export const step = (rules: Rules, before: State, failed: Failed): Step => {
  const { fault, other } = failed
  const { policy, replay } = rules
  const state: State = {
    ...before,
    doubtful: before.doubtful || RetryPolicy.table[fault].outcome === "unknown",
    other: other ?? before.other
  }
  const left = leftMillis(rules, state, failed.nowMillis)
  const done = (because: Reason): Done => ({ _tag: "Done", state, because })

  if (replay._tag === "Keyed" && other !== undefined && other === before.other) {
    return done("key reused")
  }
  const decision = RetryPolicy.decide(fault, replay)
  if (decision === "stop") return done("rule")
  if (decision === "renew") {
    if (state.renewed || !failed.hasToken) return done("rule")
    if (left <= 0) return done("deadline")
    return { _tag: "Renew", state: { ...state, renewed: true } }
  }
  const retries = state.retries + 1
  if (retries >= policy.attempts) return done("attempts")
  const pauseMillis = RetryPolicy.backoff(policy, retries, failed.chance, failed.retryAfterMillis)
  if (pauseMillis >= left) return done("deadline")
  const afterMillis = Math.max(pauseMillis, failed.budgetMillis)
  if (afterMillis >= left) return done("budget")
  return { _tag: "Again", state: { ...state, retries }, afterMillis }
}
