/**
 * Free-form key/value data that travels with a resource (interface section 2.2).
 *
 * @since 0.1.0
 */
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

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

interface Limits {
  readonly isNumber: (value: number) => boolean
  readonly maxDepth: number
  /** Whether an empty list is an object without members: some languages cannot tell one from the other. */
  readonly takesEmptyList: boolean
}

/** What JSON keeps as it is, and no reader's stack is exhausted by. */
const ofRequests: Limits = {
  isNumber: (value) => Number.isFinite(value) && !Object.is(value, -0),
  maxDepth: 100,
  takesEmptyList: false
}

/** What others have stored, in JSON of their own: `-0.0`, and more levels. */
const ofAnswers: Limits = { isNumber: () => true, maxDepth: 1000, takesEmptyList: true }

/** A copy of plain data, each member read once; `undefined` for what JSON cannot say. */
const copy = (value: unknown, limits: Limits, depth: number): Json | undefined => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return limits.isNumber(value) ? value : undefined
  if (typeof value !== "object" || depth > limits.maxDepth) return undefined
  return Array.isArray(value) ? copyArray(value, limits, depth) : copyObject(value, limits, depth)
}

/** Own members of plain data: no getter, whose next word may be another, and no symbol. */
const membersOf = (value: object): ReadonlyArray<readonly [string, unknown]> | undefined => {
  if (Object.getOwnPropertySymbols(value).length > 0) return undefined
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(
    ([, { enumerable }]) => enumerable === true
  )
  return members.every(([, descriptor]) => "value" in descriptor)
    ? members.map(([key, descriptor]) => [key, descriptor.value])
    : undefined
}

const copyArray = (
  value: ReadonlyArray<unknown>,
  limits: Limits,
  depth: number
): ReadonlyArray<Json> | undefined => {
  const members = membersOf(value)
  // A hole, or a member beside the items, would be lost on the way.
  if (members?.length !== value.length || Object.getPrototypeOf(value) !== Array.prototype) {
    return undefined
  }
  const items: Array<Json> = []
  for (const [, member] of members) {
    const item = copy(member, limits, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

const copyObject = (value: object, limits: Limits, depth = 0): Metadata | undefined => {
  const prototype: unknown = Object.getPrototypeOf(value)
  const members = membersOf(value)
  if (members === undefined || Array.isArray(value)) return undefined
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const copied: Array<readonly [string, Json]> = []
  for (const [key, member] of members) {
    const json = copy(member, limits, depth + 1)
    if (json === undefined) return undefined
    copied.push([key, json])
  }
  // Makes own members, of `__proto__` too.
  return Object.fromEntries(copied)
}

/** A proxy may throw, or say something else the next time: what was read is kept. */
const snapshot = (value: unknown, limits: Limits): Metadata | undefined => {
  try {
    if (limits.takesEmptyList && Array.isArray(value) && value.length === 0) return {}
    return typeof value === "object" && value !== null ? copyObject(value, limits) : undefined
  } catch {
    return undefined
  }
}

const parse =
  (limits: Limits) => () => (value: unknown, _: AST.ParseOptions, ast: AST.Declaration) => {
    const metadata = snapshot(value, limits)
    return metadata === undefined
      ? ParseResult.fail(new ParseResult.Type(ast, value))
      : ParseResult.succeed(metadata)
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

const within = (limits: Limits, identifier: string, description: string): Schema.Schema<Metadata> =>
  Schema.declare(
    [],
    { decode: parse(limits), encode: parse(limits) },
    {
      identifier,
      description,
      jsonSchema: { type: "object", additionalProperties: true },
      equivalence: () => isSame,
      arbitrary: () => (fc) => {
        const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
        return fc.dictionary(fc.string(), fc.oneof(scalar, fc.array(scalar)))
      }
    }
  )

/**
 * Metadata that a request may carry: it arrives as it was given, every member of it, one named
 * `__proto__` too. At most 100 levels deep; no number that JSON would change.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Input = within(
  ofRequests,
  "MetadataInput",
  "an object of JSON values, at most 100 levels deep"
)

/**
 * Metadata in an answer: whatever JSON others have stored, up to 1,000 levels deep. Numbers are
 * JavaScript's: of whole numbers beyond 2^53 the last digits are lost.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Metadata = within(ofAnswers, "Metadata", "an object of JSON values")
