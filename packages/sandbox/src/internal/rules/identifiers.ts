/**
 * Identifiers, references and secrets from one seeded generator. It is not cryptographically secure,
 * which is sufficient for a sandbox.
 */
import * as Effect from "effect/Effect"
import type * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Utils from "effect/Utils"
import * as table from "../store/table.js"

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

const Word = Schema.Int

/** The state of a generator. */
export const Generator = Schema.mutable(Schema.Tuple(Word, Word, Word, Word))

const start: typeof Generator.Type = [0, 0, 0, 1]

export const declared = table.value(Generator, start)

export const fromSeed = ({ high, low }: Seed): typeof Generator.Type =>
  new Utils.PCGRandom(high, low).getState()

export const make = (generator: table.Value<typeof Generator.Type>): Identifiers => {
  const source = new Utils.PCGRandom()
  source.setState(generator.get())
  const draw = <A>(make: () => A): A => {
    const drawn = make()
    generator.set(source.getState())
    return drawn
  }

  const text: Identifiers["text"] = (length) =>
    draw(() =>
      Array.from({ length }, () => alphabet.charAt(source.integer(alphabet.length))).join("")
    )

  return {
    uuid: () => {
      const words = draw(() =>
        Array.from({ length: 8 }, (_, index) => {
          const word = source.integer(2 ** 16)
          // Version 4, variant 1.
          if (index === 3) return 0x4000 | (word & 0x0fff)
          return index === 4 ? 0x8000 | (word & 0x3fff) : word
        })
      )
      const digits = words.map((word) => word.toString(16).padStart(4, "0")).join("")
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
    },
    text,
    reference: (prefix) => `${prefix}-${text(12).toUpperCase()}`
  }
}
