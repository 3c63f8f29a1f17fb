/**
 * The idempotency keys of an operation (interface sections 4.1, 4.5 and 4.11). Keys are scoped to the
 * operation: the same key at another endpoint is independent.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as ControlApi from "../../ControlApi.js"
import * as scenarios from "../faults/scenarios.js"
import type { Behaviour } from "../../Scenario.js"
import { usedKeyOf } from "../store/state.js"
import type { State, UsedKey } from "../store/state.js"
import * as refusal from "./refusal.js"

type Used = typeof UsedKey.Type

/** The profile, which can change while the sandbox runs. */
export interface Profile {
  current: ControlApi.Idempotency
}

export const defaults: ControlApi.Idempotency = {
  other_body: 422,
  in_flight: "replay",
  failures: "again",
  retention_seconds: null
}

/** The circumstances in which a key is used. */
export interface Use {
  readonly nowMillis: number
  /** The behaviour that the request asks for, if the handler of its operation decides about it. */
  readonly behaviour: Behaviour | undefined
  /** Called when the stored result of a key is returned. */
  readonly onReplay: () => void
}

export const make = (
  { idempotency_keys: usedKeys }: Pick<State, "idempotency_keys">,
  profile: Profile
) => {
  /** The first use of a key, unless it is forgotten. */
  const find = (operation: string, key: string, nowMillis: number): Used | undefined => {
    const used = usedKeys.get(usedKeyOf({ operation, key }))
    const { retention_seconds } = profile.current
    const seconds = retention_seconds ?? Infinity
    if (used === undefined || nowMillis - used.at_ms < seconds * 1000) return used
    usedKeys.remove(usedKeyOf(used))
    return undefined
  }

  /**
   * Returns the key of the resource that was made if the idempotency key was used for the same request.
   * The profile decides about other requests and about refused ones.
   */
  return (
    operation: string,
    key: string,
    request: unknown,
    { behaviour, nowMillis, onReplay }: Use,
    make: () => Either.Either<string, refusal.Refusal>
  ): Either.Either<string, refusal.Refusal> => {
    const canonicalRequest = canonical(request)
    const earlier = find(operation, key, nowMillis)
    const { failures, other_body } = profile.current
    if (earlier !== undefined) {
      if (earlier.request !== canonicalRequest && other_body !== "replay") {
        return Either.left(refusal.of("IDEMPOTENCY_KEY_REUSED", { status: other_body }))
      }
      onReplay()
      return "made" in earlier.result
        ? Either.right(earlier.result.made)
        : Either.left(new refusal.Refusal(earlier.result))
    }
    const use = (result: Used["result"]) =>
      usedKeys.set({ operation, key, at_ms: nowMillis, request: canonicalRequest, result })
    const result = Either.flatMap(scenarios.check(behaviour), make)
    if (Either.isRight(result)) use({ made: result.right })
    else if (failures === "replay") use(result.left)
    return result
  }
}

/** The requests with a key that are not answered yet. They are no part of the state. */
export const makeInFlight = (profile: Profile) => {
  const locks = new Map<string, Effect.Semaphore>()
  /** Runs a request as the profile says while another one with the same key is not answered. */
  return <A, E, R>(
    operation: string,
    key: string,
    answer: Effect.Effect<A, E, R>,
    conflict: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const { in_flight } = profile.current
      if (in_flight === "replay") return answer
      const id = usedKeyOf({ operation, key })
      const lock = locks.get(id) ?? Effect.unsafeMakeSemaphore(1)
      locks.set(id, lock)
      return in_flight === "wait"
        ? lock.withPermits(1)(answer)
        : Effect.flatMap(
            lock.withPermitsIfAvailable(1)(answer),
            Option.match({ onNone: () => conflict, onSome: Effect.succeed })
          )
    })
}

/** JSON with sorted object members. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member
  )
