/** The message of the first cause: the driver's, not those of the layers above it. */
export const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // A host name with several addresses, such as `localhost`.
  if (error instanceof AggregateError) return error.errors.map(rootMessage).join(", ")
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}
