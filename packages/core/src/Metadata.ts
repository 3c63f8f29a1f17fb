/**
 * Free-form key/value data that travels with a resource (interface section 2.2).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as check from "./internal/check.js"
import * as guard from "./internal/guard.js"

/**
 * Anything that JSON can say.
 *
 * @since 0.1.0
 * @category models
 */
export type Json =
  string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * An object with any keys and JSON values.
 *
 * @since 0.1.0
 * @category models
 */
export interface Metadata {
  readonly [key: string]: Json
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Levels that a reader's stack survives; more than any request needs. */
const maxDepthOfRequests = 100

/**
 * Whether JSON writes the value as it is. A `Map`, a `Date`, a hole in an array or `-0` would change on
 * the way without a word.
 */
const isExact = (value: unknown, depth: number): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== "object" || depth > maxDepthOfRequests) return false
  // It would decide what is sent.
  if ("toJSON" in value && typeof value.toJSON === "function") return false
  if (Array.isArray(value)) {
    // A member beside the items would be lost.
    if (Object.keys(value).length !== value.length) return false
    for (const item of value) if (!isExact(item, depth + 1)) return false
    return true
  }
  if (!isPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return false
  for (const member of Object.values(value)) if (!isExact(member, depth + 1)) return false
  return true
}

/** Others have stored it: more levels than requests may have, as far as they can be printed. */
const maxDepthOfAnswers = 1000

const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (depth > maxDepthOfAnswers) return false
  for (const name in value) {
    if (!isShallow(Reflect.get(value, name), depth + 1)) return false
  }
  return true
}

const isInput = (value: unknown): value is Metadata => guard.isRecord(value) && isExact(value, 0)

/** Some languages cannot tell an empty list from an object without members. */
const isAnswer = (value: unknown): value is Metadata =>
  (guard.isRecord(value) || (Array.isArray(value) && value.length === 0)) && isShallow(value, 0)

/** The same members with the same values, in any order. */
const isSame = (a: Json, b: Json): boolean => {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))]
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => {
      const other = right.get(key)
      return other !== undefined && isSame(value, other)
    })
  )
}

const isObject = (value: Json): value is ReadonlyArray<Json> | Metadata =>
  typeof value === "object" && value !== null

const declare = (
  is: (value: unknown) => value is Metadata,
  identifier: string,
  description: string
): Schema.Schema<Metadata> =>
  Schema.declare(is, {
    identifier,
    description,
    [check.predicateId]: is,
    jsonSchema: { type: "object", additionalProperties: true },
    equivalence: () => isSame,
    arbitrary: () => (fc) => {
      const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
      return fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar)))
    }
  })

/**
 * Metadata that a request may carry: plain JSON, which arrives as it was given, at most 100 levels
 * deep; no number that JSON would change.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input = declare(
  isInput,
  "MetadataInput",
  "an object of JSON values, at most 100 levels deep"
)

/**
 * Metadata in an answer: whatever JSON others have stored, up to 1,000 levels deep, kept as it was
 * sent. An empty list stands for an object without members. Numbers are JavaScript's: of whole numbers
 * beyond 2^53 the last digits are lost.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Metadata = declare(isAnswer, "Metadata", "an object of JSON values")
