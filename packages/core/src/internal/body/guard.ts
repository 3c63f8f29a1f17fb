/**
 * Compiles schemas into fast predicates (guards). Operation schemas do not transform, so decoding is
 * only validation. `effect/Schema` is used only to explain why a value is invalid.
 */
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

export type Guard = (value: unknown) => boolean

export const predicateId: unique symbol = Symbol.for("@manilla/core/predicate")

/**
 * A filter whose predicate a guard calls directly: the wrapper of `Schema.filter` is slower than most
 * predicates.
 */
export const filter = <A>(
  predicate: (value: A) => boolean,
  annotations: Schema.Annotations.Filter<A>
) => Schema.filter<Schema.Schema<A>>(predicate, { ...annotations, [predicateId]: predicate })

/** Unknown members of a struct are refused in requests and ignored in responses. */
export type Excess = "refuse" | "pass"

export const compile = (schema: Schema.Schema.All, excess: Excess = "pass"): Guard =>
  guardOf(schema.ast, excess)

const guardOf = (ast: AST.AST, excess: Excess): Guard => {
  const predicate = ast.annotations[predicateId]
  switch (ast._tag) {
    case "StringKeyword":
      return isString
    case "NumberKeyword":
      return isNumber
    case "BooleanKeyword":
      return isBoolean
    case "UndefinedKeyword":
      return isUndefined
    case "UnknownKeyword":
    case "AnyKeyword":
      return isAnything
    case "Literal": {
      const { literal } = ast
      return (value) => value === literal
    }
    case "Refinement": {
      const regex = patternOf(ast)
      if (regex !== undefined && ast.from._tag === "StringKeyword") {
        return (value) => typeof value === "string" && regex.test(value)
      }
      const from = guardOf(ast.from, excess)
      const holds = isPredicate(predicate)
        ? predicate
        : (value: unknown) => Option.isNone(ast.filter(value, AST.defaultParseOption, ast))
      // An optimization of the line below: most refinements are of strings, and one call less saves a third.
      if (from === isString) return (value) => typeof value === "string" && holds(value)
      return (value) => from(value) && holds(value)
    }
    case "Union":
      return union(ast.types.map((type) => guardOf(type, excess)))
    case "TypeLiteral":
      return ast.indexSignatures.length === 0
        ? struct(ast.propertySignatures, excess)
        : ParseResult.is(Schema.make(ast))
    case "TupleType": {
      const [item] = ast.rest
      return ast.elements.length === 0 && item !== undefined && ast.rest.length === 1
        ? array(guardOf(item.type, excess))
        : ParseResult.is(Schema.make(ast))
    }
    case "Transformation":
      throw new TypeError(`The schema of an operation must not convert: ${String(ast)}`)
    default:
      return isPredicate(predicate) ? predicate : ParseResult.is(Schema.make(ast))
  }
}

/** The regular expression of `Schema.pattern`. */
const patternOf = (ast: AST.Refinement): RegExp | undefined => {
  const pattern = ast.annotations[Schema.PatternSchemaId]
  return Predicate.hasProperty(pattern, "regex") && pattern.regex instanceof RegExp
    ? pattern.regex
    : undefined
}

const isPredicate = (value: unknown): value is Guard => typeof value === "function"

const isString: Guard = (value) => typeof value === "string"
const isNumber: Guard = (value) => typeof value === "number"
const isBoolean: Guard = (value) => typeof value === "boolean"
const isUndefined: Guard = (value) => value === undefined
const isAnything: Guard = () => true

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The member of a value of any type. */
export const member = (value: unknown, name: string): unknown =>
  isRecord(value) ? value[name] : undefined

const union = (guards: ReadonlyArray<Guard>): Guard => {
  const [first, second, third] = guards
  if (first !== undefined && second !== undefined && guards.length === 2) {
    return (value) => first(value) || second(value)
  }
  if (first !== undefined && second !== undefined && third !== undefined && guards.length === 3) {
    return (value) => first(value) || second(value) || third(value)
  }
  return (value) => guards.some((guard) => guard(value))
}

const array =
  (item: Guard): Guard =>
  (value) => {
    if (!Array.isArray(value)) return false
    for (let i = 0; i < value.length; i++) if (!item(value[i])) return false
    return true
  }

/**
 * The names of a value's members in order, with their guards. Most objects of a response have the same
 * shape, and checking them in that order is twice as fast as looking up each member.
 */
interface Shape {
  readonly names: ReadonlyArray<string>
  readonly guards: ReadonlyArray<Guard>
}

const struct = (members: ReadonlyArray<AST.PropertySignature>, excess: Excess): Guard => {
  const fields = members.map(({ isOptional, name, type }) => ({
    name: String(name),
    guard: guardOf(withoutUndefined(type), excess),
    mayBeAbsent: isOptional || acceptsUndefined(type)
  }))
  const guards = new Map(fields.map(({ guard, name }) => [name, guard]))
  /** The shape of the last valid value that was looked up. */
  let shape: Shape | undefined

  const lookUp = (value: Readonly<Record<string, unknown>>): boolean => {
    const fits =
      fields.every(({ guard, mayBeAbsent, name }) =>
        value[name] === undefined ? mayBeAbsent : guard(value[name])
      ) &&
      (excess === "pass" || Object.keys(value).every((name) => guards.has(name)))
    if (fits) shape = shapeOf(value)
    return fits
  }

  const shapeOf = (value: Readonly<Record<string, unknown>>): Shape | undefined => {
    const names: Array<string> = []
    // Limits the memory of a shape: a value may have a million members.
    for (const name in value) if (names.push(name) > 2 * fields.length + 8) return undefined
    return { names, guards: names.map((name) => guards.get(name) ?? isAnything) }
  }

  return (value) => {
    if (!isRecord(value)) return false
    if (shape === undefined) return lookUp(value)
    const { guards, names } = shape
    let i = 0
    for (const name in value) {
      if (name !== names[i] || guards[i]?.(value[name]) !== true) return lookUp(value)
      i++
    }
    return i === names.length || lookUp(value)
  }
}

/** Removes `undefined` from a union: a struct checks absent members itself. */
const withoutUndefined = (ast: AST.AST): AST.AST =>
  ast._tag === "Union"
    ? AST.Union.make(ast.types.filter(({ _tag }) => _tag !== "UndefinedKeyword"))
    : ast

const acceptsUndefined = (ast: AST.AST): boolean =>
  ast._tag === "Union"
    ? ast.types.some(acceptsUndefined)
    : ast._tag === "UndefinedKeyword" || ast._tag === "UnknownKeyword" || ast._tag === "AnyKeyword"

/** The members of a struct. */
export const membersOf = ({ ast }: Schema.Schema.All): ReadonlyArray<AST.PropertySignature> =>
  ast._tag === "TypeLiteral" ? ast.propertySignatures : []

/** The members of a struct that are structs themselves, whether optional or nullable. */
export const structsIn = (schema: Schema.Schema.All): ReadonlyArray<string> =>
  membersOf(schema).flatMap(({ name, type }) =>
    typeof name === "string" && isStruct(type) ? [name] : []
  )

const isStruct = (ast: AST.AST): boolean =>
  ast._tag === "Union" ? ast.types.some(isStruct) : ast._tag === "TypeLiteral"
