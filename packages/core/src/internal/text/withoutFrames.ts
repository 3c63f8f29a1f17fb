/**
 * Makes errors without stack traces: their frames would be those of the fiber runtime, which tell a reader
 * nothing and cost more than the rest of the error. Effect prints the spans that lead to the error.
 */
export const withoutFrames = <A>(make: () => A): A => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = limit
  }
}
