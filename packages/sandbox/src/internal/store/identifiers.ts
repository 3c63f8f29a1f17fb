/**
 * Identifiers, references and secrets from one seeded generator. It is not cryptographically secure,
 * which is sufficient for a sandbox.
 */
import * as Effect from "effect/Effect"
import type * as Random from "effect/Random"
import * as Utils from "effect/Utils"
import type * as state from "./state.js"

export interface Identifiers extends ReturnType<typeof make> {}

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"

/** The state of a generator, with which a sequence of identifiers starts. */
export type Generator = typeof state.Generator.Type

export const drawGenerator = (random: Random.Random): Effect.Effect<Generator> => {
  const word = random.nextIntBetween(0, 2 ** 32)
  return Effect.map(Effect.all([word, word]), generatorOf)
}

export const generatorOf = ([high, low]: readonly [number, number, ...ReadonlyArray<number>]) =>
  new Utils.PCGRandom(high, low).getState()

/** Starts at a state of the generator, and reports the next one. Draws are synchronous, so that a rule is atomic. */
export const make = (start: Generator, onDraw: (next: Generator) => void = () => {}) => {
  const source = new Utils.PCGRandom()
  source.setState(start)
  const draw = <A>(make: () => A): A => {
    const drawn = make()
    onDraw(source.getState())
    return drawn
  }

  /** A string of `length` letters and digits. */
  const text = (length: number): string =>
    draw(() =>
      Array.from({ length }, () => alphabet.charAt(source.integer(alphabet.length))).join("")
    )

  return {
    uuid: (): string => {
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
    /** Each resource kind has its own prefix: `PAY-7KQ2M4XW9TRB` (interface section 2.1). */
    reference: (prefix: string) => `${prefix}-${text(12).toUpperCase()}`
  }
}
