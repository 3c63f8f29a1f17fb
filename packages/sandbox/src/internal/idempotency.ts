/**
 * The idempotency keys of an operation (interface sections 4.1, 4.5 and 4.11). Keys are scoped to the
 * operation: the same key at another endpoint is independent.
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as refusal from "./refusal.js"
import * as table from "./table.js"

export interface Keys {
  /**
   * Returns the key of the resource that was made if the idempotency key was used for the same request,
   * and a refusal if it was used for another. A refused request does not use up its key.
   */
  readonly once: (
    key: string,
    request: unknown,
    make: () => Either.Either<string, refusal.Refusal>
  ) => Either.Either<string, refusal.Refusal>
}

const Used = Schema.Struct({
  operation: Schema.String,
  key: Schema.String,
  /** The request as canonical JSON. */
  request: Schema.String,
  /** The key of the resource that the request made. */
  made: Schema.String
})

export type Used = typeof Used.Type

const keyOf = ({ key, operation }: Pick<Used, "operation" | "key">): string => `${operation} ${key}`

export const declared = table.table(Used, keyOf)

export interface Options {
  readonly usedKeys: table.Table<Used>
  /** Called when the stored result of a key is returned. */
  readonly onReplay: () => void
}

export const make = ({ onReplay, usedKeys }: Options, operation: string): Keys => ({
  once: (key, request, make) => {
    const canonicalRequest = canonical(request)
    const earlier = usedKeys.get(keyOf({ operation, key }))
    if (earlier !== undefined) {
      if (earlier.request !== canonicalRequest) return Either.left(reused)
      onReplay()
      return Either.right(earlier.made)
    }
    return Either.map(make(), (made) => {
      usedKeys.set({ operation, key, request: canonicalRequest, made })
      return made
    })
  }
})

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
