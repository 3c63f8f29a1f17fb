/**
 * The state of a token source: the token that it holds, and the pause before its next request. A value
 * with pure transitions; time and chance are arguments.
 */
import type * as BearerTokens from "@manilla/core/BearerTokens"
import type * as Errors from "@manilla/core/Errors"
import * as RetryPolicy from "@manilla/core/RetryPolicy"

export interface State {
  readonly held: Held | undefined
  /** Consecutive failed requests, and the error of the last one. */
  readonly failures: number
  readonly failure: Errors.TokenUnavailableError | undefined
  /** Consecutive young tokens that the service rejected. The first may be due to rotated credentials. */
  readonly rejections: number
  /** The time of the last failure or rejection, and the pause that follows it. */
  readonly sinceMillis: number
  readonly pauseMillis: number
}

export interface Held {
  readonly token: BearerTokens.BearerToken
  readonly issuedMillis: number
  readonly renewMillis: number
  readonly expiresMillis: number
}

export const initial: State = {
  held: undefined,
  failures: 0,
  failure: undefined,
  rejections: 0,
  sinceMillis: 0,
  pauseMillis: 0
}

/** Renewal starts when this part of the lifetime is left, but at most 5 minutes before expiry. */
const renewalPart = 0.1
const renewalMostMillis = 5 * 60_000

/** A rejection of a younger token suggests a failure of the service, not rotated credentials. */
const youngMillis = 10_000

/** Pauses after failures and rejections. */
const spacing = { ...RetryPolicy.defaults, base: "1 second", cap: "30 seconds" } as const

/** During a pause, a caller that cannot wait for its end may make a request after this time. */
const shortestMillis = 1000

/** `issuedMillis` is the time of the request, so that no token is used after it expires. */
export const issued = (
  { held, rejections }: State,
  token: BearerTokens.BearerToken,
  issuedMillis: number,
  lifeMillis: number
): State => {
  const expiresMillis = issuedMillis + lifeMillis
  const renewMillis = expiresMillis - Math.min(lifeMillis * renewalPart, renewalMostMillis)
  return {
    ...initial,
    held: { token, issuedMillis, renewMillis, expiresMillis },
    // A token that is renewed was not rejected.
    rejections: held === undefined ? rejections : 0
  }
}

export const failed = (
  state: State,
  failure: Errors.TokenUnavailableError,
  nowMillis: number,
  chance: number
): State => paused({ ...state, failures: state.failures + 1, failure }, nowMillis, chance)

/** Discards a rejected token. Only the current one counts: many calls report the same rejection. */
export const rejected = (
  state: State,
  token: BearerTokens.BearerToken,
  nowMillis: number,
  chance: number
): State => {
  if (state.held?.token !== token) return state
  const isYoung = nowMillis - state.held.issuedMillis < youngMillis
  const rejections = isYoung ? state.rejections + 1 : 0
  const next = { ...state, held: undefined, rejections }
  return rejections > 1 ? paused(next, nowMillis, chance) : next
}

const paused = (state: State, sinceMillis: number, chance: number): State => {
  const setbacks = state.failures + Math.max(0, state.rejections - 1)
  const pauseMillis = RetryPolicy.backoff(spacing, setbacks, chance, undefined)
  return { ...state, sinceMillis, pauseMillis }
}

/** The time left of the pause. A clock that was set back ends the pause. */
export const pauseMillis = (state: State, nowMillis: number): number =>
  nowMillis < state.sinceMillis ? 0 : Math.max(0, state.sinceMillis + state.pauseMillis - nowMillis)

/** The time until a caller may make a request that cannot wait for the end of the pause. */
export const shortPauseMillis = (state: State, nowMillis: number): number =>
  pauseMillis({ ...state, pauseMillis: Math.min(state.pauseMillis, shortestMillis) }, nowMillis)
