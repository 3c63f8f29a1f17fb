/**
 * Identifiers, references and secrets, drawn from one source of chance: the same under the same
 * seed. Good enough for a sandbox, and for nothing else.
 */
import * as Effect from "effect/Effect"
import type * as Random from "effect/Random"

export interface Identifiers {
  readonly uuid: Effect.Effect<string>
  /** Letters and digits, `length` of them. */
  readonly text: (length: number) => Effect.Effect<string>
}

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

export const make = (random: Random.Random): Identifiers => ({
  uuid: Effect.map(
    Effect.replicateEffect(random.nextIntBetween(0, 2 ** 16), 8),
    // Version 4, variant 1.
    (words) =>
      words
        .map((word, index) =>
          index === 3 ? 0x4000 | (word & 0x0fff) : index === 4 ? 0x8000 | (word & 0x3fff) : word
        )
        .map((word) => word.toString(16).padStart(4, "0"))
        .join("")
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  ),
  text: (length) =>
    Effect.map(
      Effect.replicateEffect(random.nextIntBetween(0, alphabet.length), length),
      (indices) => indices.map((index) => alphabet.charAt(index)).join("")
    )
})
