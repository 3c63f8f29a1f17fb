import * as Predicate from "effect/Predicate"

/** The message of the driver or the system, not those of the tagged errors around it. */
export const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // A host name with several addresses, such as `localhost`.
  if (error instanceof AggregateError) return error.errors.map(rootMessage).join(", ")
  return Predicate.hasProperty(error, "_tag") && error.cause !== undefined
    ? rootMessage(error.cause)
    : error.message
}
