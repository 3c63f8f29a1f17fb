/**
 * Marks schemas of sensitive values: secrets, phone numbers, one-time codes.
 *
 * If a response repeats a marked value of its request, the gateway redacts it in errors, logs and
 * spans.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as sanitize from "./internal/text/sanitize.js"

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
export const values =
  ({ ast }: Schema.Schema.All) =>
  (encoded: unknown): ReadonlyArray<string> =>
    collect(ast, encoded)

/**
 * Redacts values of an earlier request too, in what the calls of an effect show. The service may repeat the phone
 * number of a payout when it refuses a read of it.
 *
 * @example
 * import * as Sensitive from "@manilla/core/Sensitive"
 * import * as Payout from "@manilla/payouts/Payout"
 * import * as Payouts from "@manilla/payouts/Payouts"
 * import * as Effect from "effect/Effect"
 *
 * const look = (request: Payout.PayoutRequest, reference: Payout.PayoutReference) =>
 *   Effect.gen(function* () {
 *     const payouts = yield* Payouts.Payouts
 *     return yield* payouts.get(reference)
 *   }).pipe(Sensitive.redacting(Sensitive.values(Payout.PayoutRequest)(request)))
 *
 * @since 0.1.0
 * @category combinators
 */
export const redacting =
  (values: ReadonlyArray<string>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(self, sanitize.ofEarlier, values)

const collect = (ast: AST.AST, value: unknown): ReadonlyArray<string> => {
  if (ast.annotations[annotationId] === true) {
    return (typeof value === "string" || typeof value === "number") && value !== ""
      ? [String(value)]
      : []
  }
  switch (ast._tag) {
    case "TypeLiteral": {
      if (!Predicate.isRecord(value)) return []
      return [
        ...ast.propertySignatures.flatMap(({ name, type }) => collect(type, value[name])),
        ...ast.indexSignatures.flatMap(({ type }) =>
          Object.values(value).flatMap((member) => collect(type, member))
        )
      ]
    }
    case "TupleType":
      return Array.isArray(value)
        ? value.flatMap((item, i) =>
            [ast.elements[i] ?? ast.rest[0] ?? []].flat().flatMap(({ type }) => collect(type, item))
          )
        : []
    case "Union":
      return ast.types.flatMap((type) => collect(type, value))
    case "Refinement":
    case "Transformation":
      return collect(ast.from, value)
    default:
      return []
  }
}
