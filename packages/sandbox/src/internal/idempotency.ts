/**
 * The idempotency keys of an operation (interface sections 4.1, 4.5 and 4.11). Keys are scoped to the
 * operation: the same key at another endpoint is independent.
 */
import * as Either from "effect/Either"
import * as refusal from "./refusal.js"

export interface Keys<Result> {
  /**
   * Returns the stored result if the key was used for the same request, and a refusal if it was used
   * for another. A new key is stored with its result. A refused request does not use up its key.
   */
  readonly once: (
    key: string,
    request: unknown,
    make: () => Either.Either<Result, refusal.Refusal>
  ) => Either.Either<Result, refusal.Refusal>
}

/** `onReplay` is called whenever a stored result is returned. */
export const make = <Result>(onReplay: () => void): Keys<Result> => {
  const used = new Map<string, { readonly request: string; readonly result: Result }>()
  return {
    once: (key, request, make) => {
      const canonicalRequest = canonical(request)
      const earlier = used.get(key)
      if (earlier !== undefined) {
        if (earlier.request !== canonicalRequest) return Either.left(reused)
        onReplay()
        return Either.right(earlier.result)
      }
      return Either.map(make(), (result) => {
        used.set(key, { request: canonicalRequest, result })
        return result
      })
    }
  }
}

const reused = refusal.unprocessable(
  "IDEMPOTENCY_KEY_REUSED",
  "The idempotency key was used with a different request."
)

/** JSON with sorted object members. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member
  )
