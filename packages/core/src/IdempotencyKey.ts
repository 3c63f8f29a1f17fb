/**
 * Idempotency keys, which make writes safe to retry: one key per business operation.
 *
 * Create the key together with the business operation, such as an order, and store it. A new key in a
 * retry makes a second payment.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import type * as Text from "./Text.js"
import * as guard from "./internal/body/guard.js"

/** The maximum length of the `Idempotency-Key` header, in characters. */
const maxLength = 255

/**
 * The maximum length of a card's `idempotency_key`, in characters. Keys from
 * {@link random} and {@link derive} are within both limits.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxLengthInBody = 100

const keyOf = (maxLength: number): Schema.brand<Text.Text, "IdempotencyKey"> =>
  Schema.String.pipe(
    Schema.pattern(new RegExp(`^[\\x21-\\x7e]([\\x20-\\x7e]{0,${maxLength - 2}}[\\x21-\\x7e])?$`), {
      description: `1 to ${maxLength} printable ASCII characters without a space at either end`,
      jsonSchema: { minLength: 1, maxLength }
    }),
    Schema.brand("IdempotencyKey")
  )

/**
 * An idempotency key: 1 to 255 printable ASCII characters without a leading or trailing space.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IdempotencyKey = keyOf(maxLength)

/**
 * An idempotency key in the body of a request: at most 100 characters. Keys from
 * {@link random} and {@link derive} are within this limit.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InBody = /* @__PURE__ */ keyOf(maxLengthInBody)

/**
 * @since 0.1.0
 * @category models
 */
export type IdempotencyKey = typeof IdempotencyKey.Type

/**
 * Returns text as a key. Throws a `ParseError` if it is not a valid one.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 *
 * const key = IdempotencyKey.make("order-42")
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (text: string): IdempotencyKey =>
  IdempotencyKey.make(text, { disableValidation: isValid(text) })

/** The validation of a schema takes as long as a tenth of a request. */
const isValid = /* @__PURE__ */ guard.compile(IdempotencyKey)

/**
 * Generates a unique key with 122 random bits. Store the key before you use it, or a crash loses it.
 * Prefer {@link derive} if the business operation has an identifier.
 *
 * Not from Effect's `Random`, which has a 32-bit seed: among 100,000 processes, two would probably
 * generate the same keys, and the service would ignore the second payment under a key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const random: Effect.Effect<IdempotencyKey> = /* @__PURE__ */ Effect.sync(() =>
  IdempotencyKey.make(crypto.randomUUID())
)

/**
 * Derives a key from parts: equal parts always give the same key, different parts give different keys.
 * Do not use personal data: parts are readable in the key.
 *
 * Throws a `TypeError` if there is no part, or if a part is empty: two orders without a number would
 * share one payment. Also throws if the key would exceed 100 characters: then use {@link deriveLong}.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 *
 * const key = IdempotencyKey.derive("invoice", "2026-0042")
 * // "invoice:2026-0042"
 *
 * @since 0.1.0
 * @category constructors
 */
export const derive = (...parts: readonly [string, ...ReadonlyArray<string>]): IdempotencyKey => {
  const readable = join(parts)
  if (readable.length <= maxLengthInBody) return IdempotencyKey.make(readable)
  throw new TypeError(
    `IdempotencyKey.derive: a key has at most ${maxLengthInBody} characters. Use IdempotencyKey.deriveLong.`
  )
}

/**
 * Derives a key like {@link derive}, but from parts of any length. A key that would exceed 100 characters
 * ends in a SHA-256 digest of its parts. It is an effect, because Web Crypto is asynchronous.
 *
 * @since 0.1.0
 * @category constructors
 */
export const deriveLong = (
  ...parts: readonly [string, ...ReadonlyArray<string>]
): Effect.Effect<IdempotencyKey> =>
  Effect.suspend(() => {
    const readable = join(parts)
    if (readable.length <= maxLengthInBody) return Effect.succeed(IdempotencyKey.make(readable))
    const bytes = new TextEncoder().encode(JSON.stringify(parts))
    return Effect.map(
      Effect.promise(() => crypto.subtle.digest("SHA-256", bytes)),
      (digest) => {
        const hex = Encoding.encodeHex(new Uint8Array(digest))
        // `~` does not occur in escaped parts, so this key never equals a readable one.
        return IdempotencyKey.make(`${readable.slice(0, maxLengthInBody - hex.length - 1)}~${hex}`)
      }
    )
  })

/** JavaScript may pass any value, such as the missing id of an order. */
const join = (parts: ReadonlyArray<unknown>): string => {
  if (parts.length > 0 && parts.every((part) => typeof part === "string" && part !== "")) {
    return parts.map((part) => escape(String(part))).join(":")
  }
  throw new TypeError(
    "IdempotencyKey: each part must be a string that is not empty. Equal parts share one payment."
  )
}

/** `encodeURIComponent` throws for a surrogate without its pair, which is written as `%uD83D`. */
const escape = (part: string): string =>
  part.replace(/[^A-Za-z0-9_.-]/gu, (character) =>
    /\p{Surrogate}/u.test(character)
      ? `%u${hexOf(character)}`
      : encodeURIComponent(character).replace(/[!~*'()]/g, (mark) => `%${hexOf(mark)}`)
  )

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase()
