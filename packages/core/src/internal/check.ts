/**
 * Filters whose predicate a compiled guard calls directly: `effect/Schema` wraps a predicate into an
 * `Option` of an issue, which costs more than most of the predicates.
 */
import * as Schema from "effect/Schema"

export const predicateId: unique symbol = Symbol.for("@manilla/core/predicate")

export const filter = <A>(
  predicate: (value: A) => boolean,
  annotations: Schema.Annotations.Filter<A>
) => Schema.filter<Schema.Schema<A>>(predicate, { ...annotations, [predicateId]: predicate })
