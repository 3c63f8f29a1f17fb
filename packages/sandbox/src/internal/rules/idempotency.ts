/**
 * The idempotency keys of an operation (interface sections 4.1, 4.5 and 4.11). Keys are scoped to the
 * operation: the same key at another endpoint is independent.
 */
import * as Errors from "@manilla/core/Errors"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type * as ControlApi from "../../ControlApi.js"
import * as table from "../store/table.js"
import * as refusal from "./refusal.js"

export interface Keys {
  /**
   * Returns the key of the resource that was made if the idempotency key was used for the same request.
   * The profile decides about other requests and about refused ones.
   */
  readonly once: (
    key: string,
    request: unknown,
    nowMillis: number,
    make: () => Either.Either<string, refusal.Refusal>
  ) => Either.Either<string, refusal.Refusal>
}

const Used = Schema.Struct({
  operation: Schema.String,
  key: Schema.String,
  at_ms: Schema.Number,
  /** The request as canonical JSON. */
  request: Schema.String,
  /** The key of the resource that the request made, or its refusal. */
  result: Schema.Union(
    Schema.Struct({ made: Schema.String }),
    Schema.Struct({
      status: Schema.Int,
      code: Schema.String,
      message: Schema.String,
      issues: Schema.optionalWith(Schema.Array(Errors.Issue), { exact: true }),
      details: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), {
        exact: true
      })
    })
  )
})

export type Used = typeof Used.Type

const keyOf = ({ key, operation }: Pick<Used, "operation" | "key">): string => `${operation} ${key}`

export const declared = table.table(Used, keyOf)

export interface Options {
  readonly usedKeys: table.Table<Used>
  readonly profile: Profile
  /** Called when the stored result of a key is returned. */
  readonly onReplay: () => void
}

/** The profile, which can change while the sandbox runs. */
export interface Profile {
  readonly get: () => ControlApi.Idempotency
  readonly set: (profile: ControlApi.IdempotencyChange) => void
}

export const makeProfile = (initial: ControlApi.IdempotencyChange = {}): Profile => {
  let current = complete(initial)
  return {
    get: () => current,
    set: (profile) => {
      current = complete(profile)
    }
  }
}

const complete = ({
  failures = "again",
  in_flight = "replay",
  other_body = 422,
  retention_seconds = null
}: ControlApi.IdempotencyChange): ControlApi.Idempotency => ({
  failures,
  in_flight,
  other_body,
  retention_seconds
})

export const make = ({ onReplay, profile, usedKeys }: Options, operation: string): Keys => {
  /** The first use of a key, unless it is forgotten. */
  const find = (key: string, nowMillis: number): Used | undefined => {
    const used = usedKeys.get(keyOf({ operation, key }))
    const { retention_seconds } = profile.get()
    const seconds = retention_seconds ?? Infinity
    if (used === undefined || nowMillis - used.at_ms < seconds * 1000) return used
    usedKeys.remove(keyOf(used))
    return undefined
  }

  return {
    once: (key, request, nowMillis, make) => {
      const canonicalRequest = canonical(request)
      const earlier = find(key, nowMillis)
      const { failures, other_body } = profile.get()
      if (earlier !== undefined) {
        if (earlier.request !== canonicalRequest && other_body !== "replay") {
          return Either.left(reused(other_body))
        }
        onReplay()
        return "made" in earlier.result
          ? Either.right(earlier.result.made)
          : Either.left(new refusal.Refusal(earlier.result))
      }
      const use = (result: Used["result"]) =>
        usedKeys.set({ operation, key, at_ms: nowMillis, request: canonicalRequest, result })
      const result = make()
      if (Either.isRight(result)) use({ made: result.right })
      else if (failures === "replay") use(result.left)
      return result
    }
  }
}

const reused = (status: 422 | 409) => refusal.of("IDEMPOTENCY_KEY_REUSED", { status })

/** The requests with a key that are not answered yet. They are no part of the state. */
export interface InFlight {
  /** Runs a request as the profile says while another one with the same key is not answered. */
  readonly run: <A, E, R>(
    operation: string,
    key: string,
    answer: Effect.Effect<A, E, R>,
    conflict: Effect.Effect<A>
  ) => Effect.Effect<A, E, R>
}

export const makeInFlight = (profile: Profile): InFlight => {
  const locks = new Map<string, { readonly lock: Effect.Semaphore; users: number }>()
  return {
    run: (operation, key, answer, conflict) =>
      Effect.suspend(() => {
        const { in_flight } = profile.get()
        if (in_flight === "replay") return answer
        const id = keyOf({ operation, key })
        const entry = locks.get(id) ?? { lock: Effect.unsafeMakeSemaphore(1), users: 0 }
        if (in_flight === 409 && entry.users > 0) return conflict
        locks.set(id, entry)
        entry.users++
        return entry.lock
          .withPermits(1)(answer)
          .pipe(
            Effect.ensuring(
              Effect.sync(() => {
                if (--entry.users === 0) locks.delete(id)
              })
            )
          )
      })
  }
}

/** JSON with sorted object members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member
  )
