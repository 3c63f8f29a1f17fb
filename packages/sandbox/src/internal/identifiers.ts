/**
 * Identifiers, references and secrets from one seeded generator. It is not cryptographically secure,
 * which is sufficient for a sandbox.
 */
import * as Effect from "effect/Effect"
import type * as Random from "effect/Random"
import * as Utils from "effect/Utils"

/** Synchronous, so that a rule that draws an identifier remains atomic. */
export interface Identifiers {
  readonly uuid: () => string
  /** A string of `length` letters and digits. */
  readonly text: (length: number) => string
  /** Each resource kind has its own prefix: `PAY-7KQ2M4XW9TRB` (interface section 2.1). */
  readonly reference: (prefix: string) => string
}

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

/** The start of a sequence of identifiers. */
export interface Seed {
  readonly high: number
  readonly low: number
}

export const drawSeed = (random: Random.Random): Effect.Effect<Seed> => {
  const word = random.nextIntBetween(0, 2 ** 32)
  return Effect.all({ high: word, low: word })
}

export const make = ({ high, low }: Seed): Identifiers => {
  const source = new Utils.PCGRandom(high, low)

  const text: Identifiers["text"] = (length) =>
    Array.from({ length }, () => alphabet.charAt(source.integer(alphabet.length))).join("")

  return {
    uuid: () => {
      const words = Array.from({ length: 8 }, (_, index) => {
        const word = source.integer(2 ** 16)
        // Version 4, variant 1.
        if (index === 3) return 0x4000 | (word & 0x0fff)
        return index === 4 ? 0x8000 | (word & 0x3fff) : word
      })
      const digits = words.map((word) => word.toString(16).padStart(4, "0")).join("")
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
    },
    text,
    reference: (prefix) => `${prefix}-${text(12).toUpperCase()}`
  }
}
