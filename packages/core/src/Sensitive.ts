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
 * Makes a function that returns the sensitive values in an encoded value of the schema.
 *
 * @since 0.1.0
 * @category annotations
 */
export const values = (schema: Schema.Schema.All): ((encoded: unknown) => ReadonlyArray<string>) =>
  collectorOf(schema.ast)

type Collector = (value: unknown) => ReadonlyArray<string>

const nothing: Collector = () => []

const collectorOf = (ast: AST.AST): Collector => {
  if (Option.isSome(AST.getAnnotation(ast, annotationId))) {
    return (value) =>
      (typeof value === "string" || typeof value === "number") && value !== ""
        ? [String(value)]
        : []
  }
  switch (ast._tag) {
    case "TypeLiteral":
      return ofRecord(ast)
    case "TupleType": {
      const elements = ast.elements.map(({ type }) => collectorOf(type))
      const others = ast.rest[0] === undefined ? nothing : collectorOf(ast.rest[0].type)
      return (value) =>
        Array.isArray(value) ? value.flatMap((item, i) => (elements[i] ?? others)(item)) : []
    }
    case "Union":
      return all(ast.types.map(collectorOf))
    case "Refinement":
    case "Transformation":
      return collectorOf(ast.from)
    default:
      return nothing
  }
}

const ofRecord = ({ indexSignatures, propertySignatures }: AST.TypeLiteral): Collector => {
  const properties = propertySignatures.map(({ name, type }) =>
    within(type, (record, collect) => collect(record[name]))
  )
  const indexes = indexSignatures.map(({ type }) =>
    within(type, (record, collect) => Object.values(record).flatMap(collect))
  )
  return all([...properties, ...indexes])
}

const within = (
  type: AST.AST,
  visit: (
    record: Readonly<Record<PropertyKey, unknown>>,
    collect: Collector
  ) => ReadonlyArray<string>
): Collector => {
  const collect = collectorOf(type)
  return collect === nothing
    ? nothing
    : (value) => (Predicate.isRecord(value) ? visit(value, collect) : [])
}

const all = (collectors: ReadonlyArray<Collector>): Collector => {
  const useful = collectors.filter((collect) => collect !== nothing)
  return useful.length === 0 ? nothing : (value) => useful.flatMap((collect) => collect(value))
}
