/**
 * Bugs in the sandbox itself.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Logs whatever a handler fails with unexpectedly, and answers with an internal error instead. */
export const answeredBy =
  <B, R2>(internalError: Effect.Effect<B, never, R2>) =>
  <A, E, R>(handler: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R | R2> =>
    Effect.catchAllCause(handler, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.zipRight(Effect.logError("Defect in the sandbox", cause), internalError)
    )

export const code = "SANDBOX_DEFECT"

export const message = "Internal error in the sandbox: see its log."
