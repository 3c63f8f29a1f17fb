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

/** Deeper than this the JSON of a request would exhaust the stack of whoever reads it. */
const maxDepth = 100

/** A number that JSON keeps as it is. */
const isNumber = (value: unknown): value is number =>
  Number.isFinite(value) && !Object.is(value, -0)

/** A copy of plain data, each member read once; `undefined` for what JSON cannot say. */
const copy = (value: unknown, depth: number): Json | undefined => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (isNumber(value)) return value
  if (typeof value !== "object" || depth > maxDepth) return undefined
  return Array.isArray(value) ? copyArray(value, depth) : copyObject(value, depth)
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
  depth: number
): ReadonlyArray<Json> | undefined => {
  const members = membersOf(value)
  // A hole, or a member beside the items, would be lost on the way.
  if (members?.length !== value.length || Object.getPrototypeOf(value) !== Array.prototype) {
    return undefined
  }
  const items: Array<Json> = []
  for (const [, member] of members) {
    const item = copy(member, depth + 1)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

const copyObject = (value: object, depth = 0): Metadata | undefined => {
  const prototype: unknown = Object.getPrototypeOf(value)
  const members = membersOf(value)
  if (members === undefined || Array.isArray(value)) return undefined
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const copied: Array<readonly [string, Json]> = []
  for (const [key, member] of members) {
    const json = copy(member, depth + 1)
    if (json === undefined) return undefined
    copied.push([key, json])
  }
  // Makes own members, of `__proto__` too.
  return Object.fromEntries(copied)
}

/** A proxy may throw, or say something else the next time: what was read is kept. */
const snapshot = (value: unknown): Metadata | undefined => {
  try {
    return typeof value === "object" && value !== null ? copyObject(value) : undefined
  } catch {
    return undefined
  }
}

const parse = () => (value: unknown, _: AST.ParseOptions, ast: AST.Declaration) => {
  const metadata = snapshot(value)
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

/**
 * Metadata as it was given: every member is kept, one named `__proto__` too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Metadata: Schema.Schema<Metadata> = Schema.declare(
  [],
  { decode: parse, encode: parse },
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
