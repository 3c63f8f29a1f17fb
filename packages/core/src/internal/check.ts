/**
 * Filters whose predicate a compiled guard calls directly: the wrapper of `Schema.filter` is slower
 * than most predicates.
 */
import * as Schema from "effect/Schema"

export const predicateId: unique symbol = Symbol.for("@manilla/core/predicate")

export const filter = <A>(
  predicate: (value: A) => boolean,
  annotations: Schema.Annotations.Filter<A>
) => Schema.filter<Schema.Schema<A>>(predicate, { ...annotations, [predicateId]: predicate })
