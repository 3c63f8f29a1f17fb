/**
 * Text with a length limit in Unicode characters (code points).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as guard from "./internal/body/guard.js"

const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/** Checks UTF-16 units first: most codes are ASCII, and an iterator is slow. */
const isOfLength = (text: string, length: number): boolean => {
  if (text.length < length || text.length > 2 * length) return false
  for (let i = 0; i < text.length; i++) {
    if (isSurrogate(text.charCodeAt(i))) return lengthOf(text) === length
  }
  return text.length === length
}

/**
 * A schema for text with a rule.
 *
 * @since 0.1.0
 * @category models
 */
export interface Text extends Schema.filter<Schema.Schema<string>> {}

/**
 * Makes a schema for strings of exactly `length` characters. `description` completes the sentence "must be" in
 * `InvalidRequestError`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exactly = (length: number, description: string): Text =>
  Schema.String.pipe(
    guard.filter((text) => isOfLength(text, length), {
      description,
      jsonSchema: { minLength: length, maxLength: length },
      arbitrary: () => (fc) => fc.string({ minLength: length, maxLength: length })
    })
  )

/**
 * Makes a schema for strings of at most `max` characters.
 *
 * @since 0.1.0
 * @category constructors
 */
export const atMost = (max: number): Text =>
  Schema.String.pipe(
    guard.filter((text) => text.length <= max || lengthOf(text) <= max, {
      description: `a string of at most ${max} characters`,
      jsonSchema: { maxLength: max },
      arbitrary: () => (fc) => fc.string({ maxLength: max, unit: "grapheme-ascii" })
    })
  )

/**
 * Returns `true` if two codes, such as currencies, are equal without regard to case: the service may
 * return them in upper case.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isSameCode = (a: string, b: string): boolean =>
  a === b || a.toLowerCase() === b.toLowerCase()
