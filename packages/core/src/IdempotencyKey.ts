/**
 * The key that makes a money-moving call safe to repeat: one key, one business operation
 * (interface section 4.1, rule 1).
 *
 * Make the key where the business operation is born, such as an order or an invoice, and keep it
 * there. A key made anew inside a retry is a second payment.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sha256 } from "@noble/hashes/sha2.js"
import * as Encoding from "effect/Encoding"

/**
 * The most characters that the `Idempotency-Key` header takes (interface section 8).
 *
 * @since 0.1.0
 * @category limits
 */
export const maxLength = 255

/**
 * The most characters that a card's `idempotency_key` takes (interface section 8). Keys from
 * {@link random} and {@link derive} fit both places.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxLengthInBody = 100

/**
 * 1 to 255 printable ASCII characters without a space at either end: what a header carries
 * unchanged.
 *
 * @example
 * import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
 *
 * const key = IdempotencyKey.IdempotencyKey.make("order-42")
 *
 * @since 0.1.0
 * @category schemas
 */
export const IdempotencyKey = Schema.String.pipe(
  Schema.pattern(/^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/, {
    description: `a key of 1 to ${maxLength} printable ASCII characters without a space at either end`,
    jsonSchema: { minLength: 1, maxLength }
  }),
  Schema.brand("IdempotencyKey")
)

/**
 * @since 0.1.0
 * @category models
 */
export type IdempotencyKey = typeof IdempotencyKey.Type

/**
 * Where {@link random} finds its chance: the operating system's, unless a simulation provides its
 * own.
 *
 * Not Effect's `Random`: its default generator starts from 32 bits, so among a hundred thousand
 * process starts two would likely repeat each other's keys, and a repeated key is a payment that
 * is silently not made.
 *
 * @since 0.1.0
 * @category services
 */
export class KeySource extends Context.Reference<KeySource>()("@manilla/core/KeySource", {
  defaultValue: (): Effect.Effect<string> => Effect.sync(() => crypto.randomUUID())
}) {}

/**
 * A key that has never been before: 122 random bits. Store it before you use it, or a crash loses
 * it; prefer {@link derive} when the operation already has a name.
 *
 * @since 0.1.0
 * @category constructors
 */
export const random: Effect.Effect<IdempotencyKey> = Effect.flatMap(KeySource, (source) =>
  Effect.map(source, (text) => IdempotencyKey.make(text))
)

/**
 * The same key for the same parts, in every process and for ever: `derive("order", "42")` is
 * `"order:42"`. Different parts give different keys; what would be longer than 100 characters, or
 * is not well-formed text, ends in a SHA-256 digest. Parts are readable in the key: leave personal
 * data out of them.
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
  const readable = parts.map(escape).join(":")
  const whole = parts.join("") !== "" && parts.every(isWellFormed)
  return IdempotencyKey.make(
    whole && readable.length <= maxLengthInBody ? readable : digested(readable, parts)
  )
}

const escape = (part: string): string =>
  part.replace(/[^A-Za-z0-9_.-]/gu, (character) =>
    isWellFormed(character) ? encodeURIComponent(character).replace(/[!~*'()]/g, percent) : "%"
  )

const percent = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** `~` never stands in an escaped part, so a digested key cannot be mistaken for a readable one. */
const digested = (readable: string, parts: ReadonlyArray<string>): string => {
  const digest = Encoding.encodeHex(sha256(new TextEncoder().encode(JSON.stringify(parts))))
  return `${readable.slice(0, maxLengthInBody - digest.length - 1)}~${digest}`
}
