/**
 * Free-form key/value data that travels with a resource (interface section 2.2).
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

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

/** Deeper than this the JSON of a request would exhaust the stack of whoever reads it. */
const maxDepth = 100

const isJson = (value: unknown, depth: number): value is Json => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || depth > maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1))
  return isMetadata(value, depth)
}

const isMetadata = (value: unknown, depth = 0): value is Metadata => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    (prototype === Object.prototype || prototype === null) &&
    Object.values(value).every((item) => isJson(item, depth + 1))
  )
}

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

/**
 * Metadata as it was given. It is passed on whole rather than copied key by key, so that a key
 * such as `__proto__` stays the plain data it was in the JSON.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Metadata: Schema.Schema<Metadata> = Schema.declare(
  (value: unknown): value is Metadata => isMetadata(value),
  {
    identifier: "Metadata",
    description: "an object of JSON values, at most 100 levels deep",
    jsonSchema: { type: "object", additionalProperties: true },
    equivalence: () => isSame,
    arbitrary: () => (fc) => {
      const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
      return fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar)))
    }
  }
)
