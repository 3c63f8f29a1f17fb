/**
 * Idempotency keys, which make writes safe to retry: one key per business operation (interface
 * section 4.1, rule 1).
 *
 * Create the key together with the business operation, such as an order, and store it. A new key in a
 * retry makes a second payment.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** The maximum length of the `Idempotency-Key` header, in characters (interface section 8). */
const maxLength = 255

/**
 * The maximum length of a card's `idempotency_key`, in characters (interface section 8). Keys from
 * {@link random} and {@link derive} are within both limits.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxLengthInBody = 100

const keyOf = (maxLength: number) =>
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
 * An idempotency key in the body of a request: at most 100 characters (interface section 8). Keys from
 * {@link random} and {@link derive} are within this limit.
 *
 * @since 0.1.0
 * @category schemas
 */
export const InBody = keyOf(maxLengthInBody)

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
export const make = (text: string): IdempotencyKey => IdempotencyKey.make(text)

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
export const random: Effect.Effect<IdempotencyKey> = Effect.sync(() =>
  IdempotencyKey.make(crypto.randomUUID())
)

/**
 * Derives a key from parts: equal parts always give the same key, different parts give different keys.
 * A key that would exceed 100 characters, or has malformed Unicode in a part, ends in a SHA-256 digest.
 * Do not use personal data: parts are readable in the key.
 *
 * Throws a `TypeError` if there is no part, or if a part is empty: two orders without a number would
 * share one payment.
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
  checkParts(parts)
  const readable = parts.map(escape).join(":")
  const whole = parts.every(isWellFormed)
  return IdempotencyKey.make(
    whole && readable.length <= maxLengthInBody ? readable : digested(readable, parts)
  )
}

/** JavaScript may pass any value, such as the missing id of an order. */
const checkParts = (parts: ReadonlyArray<unknown>): void => {
  if (parts.length === 0)
    throw new TypeError(`IdempotencyKey.derive needs at least one part, such as "order" and "42"`)
  parts.forEach((part, index) => {
    if (typeof part === "string" && part !== "") return
    throw new TypeError(
      `IdempotencyKey.derive: part ${index + 1} must be a string that is not empty. ` +
        "Operations with the same parts share one key, and so one payment."
    )
  })
}

const escape = (part: string): string =>
  part.replace(/[^A-Za-z0-9_.-]/gu, (character) =>
    isWellFormed(character) ? encodeURIComponent(character).replace(/[!~*'()]/g, percent) : "%"
  )

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** `~` does not occur in escaped parts, so a digested key never equals a readable one. */
const digested = (readable: string, parts: ReadonlyArray<string>): string => {
  const digest = bytesToHex(sha256(new TextEncoder().encode(JSON.stringify(parts))))
  return `${readable.slice(0, maxLengthInBody - digest.length - 1)}~${digest}`
}
