/**
 * Free-form key/value data of a resource.
 *
 * @since 0.1.0
 */
import type * as equivalence from "effect/Equivalence"
import * as Schema from "effect/Schema"
import * as guard from "./internal/body/guard.js"

/**
 * A JSON value.
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

/** Prevents a stack overflow in recursive readers; more than any request needs. */
const maxDepthOfRequests = 100

/** Whether JSON preserves the value. It silently changes a `Map`, a `Date`, `-0` or a sparse array. */
const isExact = (value: unknown, depth: number): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== "object" || depth > maxDepthOfRequests) return false
  // `JSON.stringify` would send its result instead.
  if ("toJSON" in value && typeof value.toJSON === "function") return false
  if (Array.isArray(value)) {
    // Properties other than the items would be lost.
    if (Object.keys(value).length !== value.length) return false
    for (const item of value) if (!isExact(item, depth + 1)) return false
    return true
  }
  if (!isPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return false
  for (const member of Object.values(value)) if (!isExact(member, depth + 1)) return false
  return true
}

/** Other clients may have stored deeper metadata; deeper values cannot be printed. */
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

/** Some languages encode an empty object as an empty array. */
const isAnswer = (value: unknown): value is Metadata =>
  (guard.isRecord(value) || (Array.isArray(value) && value.length === 0)) && isShallow(value, 0)

const declare = (
  is: (value: unknown) => value is Metadata,
  identifier: string,
  description: string
): Schema.Schema<Metadata> =>
  Schema.declare(is, {
    identifier,
    description,
    [guard.predicateId]: is,
    jsonSchema: { type: "object", additionalProperties: true },
    arbitrary: () => (fc) => {
      const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
      return fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar)))
    }
  })

/**
 * Metadata in a request: values that JSON preserves exactly, at most 100 levels deep.
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
 * Metadata in a response: any JSON up to 1,000 levels deep. An empty array stands for an empty object.
 * Integers above 2^53 lose precision, because JavaScript parses them as floats.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Metadata = declare(isAnswer, "Metadata", "an object of JSON values")

/**
 * Compares two JSON values for equality: their members may be in any order. Values that are nested more than 1,000
 * levels deep are not equal, because comparing them could overflow the stack.
 *
 * @since 0.1.0
 * @category ordering
 */
export const Equivalence: equivalence.Equivalence<unknown> = (a, b) => isSame(a, b, 0)

const isSame = (a: unknown, b: unknown, depth: number): boolean => {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  if (depth > maxDepthOfAnswers) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) =>
        Object.hasOwn(b, name) && isSame(Reflect.get(a, name), Reflect.get(b, name), depth + 1)
    )
  )
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
