/**
 * Free text with a limit, counted in characters as a person counts them, not in UTF-16 units.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

const lengthOf = (text: string): number => Array.from(text).length

/**
 * A string of exactly `length` characters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exactly = (length: number, description: string) =>
  Schema.String.pipe(
    Schema.filter((text) => lengthOf(text) === length, {
      description,
      jsonSchema: { minLength: length, maxLength: length },
      arbitrary: () => (fc) => fc.string({ minLength: length, maxLength: length })
    })
  )

/**
 * A string of at most `max` characters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const atMost = (max: number) =>
  Schema.String.pipe(
    Schema.filter((text) => text.length <= max || lengthOf(text) <= max, {
      description: `a string of at most ${max} characters`,
      jsonSchema: { maxLength: max },
      arbitrary: () => (fc) => fc.string({ maxLength: max, unit: "grapheme-ascii" })
    })
  )
