/**
 * The members of requests that callers make as instances of their classes.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"

/**
 * Makes the members that a value inherits its own, as far as the schema names them, also in the
 * structs within it. `effect/Schema` and `{ ...spread }` pass over what a class gives by a getter:
 * a payment link would be made without its limit.
 *
 * @example
 * import * as Members from "@manilla/core/Members"
 * import * as Schema from "effect/Schema"
 *
 * class Order {
 *   constructor(readonly amount: string) {}
 *   get description() {
 *     return "Two coffees"
 *   }
 * }
 * const Request = Schema.Struct({ amount: Schema.String, description: Schema.optional(Schema.String) })
 * const request: typeof Request.Type = Members.own(Request)(new Order("1500"))
 *
 * @since 0.1.0
 * @category conversions
 */
export const own = <A, I, R>(schema: Schema.Schema<A, I, R>): (<B>(value: B) => B) => {
  const owned = compile(Schema.typeSchema(schema).ast)
  return (value) => (Predicate.isRecord(value) ? withMembers(value, owned) : value)
}

/** What a struct's members are made of: a struct's own members in turn, or nothing to look into. */
type Struct = ReadonlyMap<string, Struct>

const nothing: Struct = new Map()

const compile = (ast: AST.AST): Struct => {
  switch (ast._tag) {
    case "TypeLiteral":
      return new Map(
        ast.propertySignatures.map(({ name, type }) => [String(name), compile(type)] as const)
      )
    case "Union":
      return ast.types.map(compile).find(({ size }) => size > 0) ?? nothing
    case "Refinement":
      return compile(ast.from)
    default:
      return nothing
  }
}

const withMembers = <A extends object>(value: A, struct: Struct): A => {
  const isPlain = hasNoClass(value)
  const changed: Record<string, unknown> = {}
  for (const [name, within] of struct) {
    if (!(isPlain ? Object.hasOwn(value, name) : name in value)) continue
    if (isPlain && within.size === 0) continue
    const given: unknown = Reflect.get(value, name)
    const owned = within.size > 0 && Predicate.isRecord(given) ? withMembers(given, within) : given
    if (owned !== given || !Object.hasOwn(value, name)) changed[name] = owned
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed }
}

const hasNoClass = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
