/**
 * Marks schemas of sensitive values: secrets, phone numbers, one-time codes.
 *
 * If a response repeats a marked value of its request, the gateway redacts it in errors, logs and
 * spans.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

const annotationId = Symbol.for("@manilla/core/Sensitive")

/**
 * Marks a schema as sensitive.
 *
 * @example
 * import * as Sensitive from "@manilla/core/Sensitive"
 * import * as Schema from "effect/Schema"
 *
 * const Payer = Schema.Struct({ phone_number: Schema.String.pipe(Sensitive.mark) })
 *
 * @since 0.1.0
 * @category annotations
 */
export const mark = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> =>
  schema.annotations({ [annotationId]: true })

/**
 * The sensitive values in an encoded value, according to its schema.
 *
 * @since 0.1.0
 * @category annotations
 */
export const values = (schema: Schema.Schema.All, encoded: unknown): ReadonlyArray<string> =>
  collect(schema.ast, encoded)

const collect = (ast: AST.AST, value: unknown): ReadonlyArray<string> => {
  if (Option.isSome(AST.getAnnotation(ast, annotationId))) {
    return (typeof value === "string" || typeof value === "number") && value !== ""
      ? [String(value)]
      : []
  }
  switch (ast._tag) {
    case "TypeLiteral":
      return Predicate.isRecord(value) ? collectMembers(ast, value) : []
    case "TupleType":
      return Array.isArray(value)
        ? value.flatMap((item, i) => {
            const type = ast.elements[i]?.type ?? ast.rest[0]?.type
            return type === undefined ? [] : collect(type, item)
          })
        : []
    case "Union":
      return ast.types.flatMap((member) => collect(member, value))
    case "Refinement":
    case "Transformation":
      return collect(ast.from, value)
    default:
      return []
  }
}

const collectMembers = (
  { indexSignatures, propertySignatures }: AST.TypeLiteral,
  value: Readonly<Record<PropertyKey, unknown>>
): ReadonlyArray<string> => [
  ...propertySignatures.flatMap(({ name, type }) => collect(type, value[name])),
  ...indexSignatures.flatMap(({ type }) =>
    Object.values(value).flatMap((item) => collect(type, item))
  )
]
