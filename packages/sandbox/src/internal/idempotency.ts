/**
 * The keys that an operation was called under (interface sections 4.1, 4.5 and 4.11). Each
 * operation keeps its own: the same key names another business operation at another endpoint.
 */
import * as Either from "effect/Either"
import * as refusal from "./refusal.js"

export interface Keys<Kept> {
  /**
   * What the key made before, if the request is the same, and a refusal if it is another. A key that
   * is new makes something, and is used up by that: a request that is refused does not use up its
   * key.
   */
  readonly once: (
    key: string,
    request: unknown,
    make: () => Either.Either<Kept, refusal.Refusal>
  ) => Either.Either<Kept, refusal.Refusal>
}

export const make = <Kept>(): Keys<Kept> => {
  const used = new Map<string, { readonly request: string; readonly kept: Kept }>()
  return {
    once: (key, request, make) => {
      const written = canonical(request)
      const earlier = used.get(key)
      if (earlier !== undefined) {
        return earlier.request === written ? Either.right(earlier.kept) : Either.left(reused)
      }
      return Either.map(make(), (kept) => {
        used.set(key, { request: written, kept })
        return kept
      })
    }
  }
}

const reused = refusal.unprocessable(
  "IDEMPOTENCY_KEY_REUSED",
  "The idempotency key belongs to a request with another body."
)

/** JSON with the members of every object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member
  )
