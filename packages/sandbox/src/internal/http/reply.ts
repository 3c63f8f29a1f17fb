/**
 * Responses in their envelopes (interface section 2.1).
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Refusal } from "../rules/refusal.js"
import * as envelope from "./envelope.js"
import { Incoming } from "./incoming.js"

const encodeFailure = Schema.encodeSync(envelope.Failure)

export const failure = ({ code, details, issues, message, status }: Refusal, id: string | null) =>
  HttpServerResponse.unsafeJson(
    encodeFailure({
      success: false,
      data: { error: { code, message, details: issues ?? details } },
      meta: { correlation_id: id }
    }),
    { status }
  )

/** Refuses the current request. */
export const refuse = (refusal: Refusal) =>
  Effect.map(Incoming, ({ correlationId }) => failure(refusal, correlationId))

/** Logs the unexpected failure of a handler, and responds with an internal error instead. */
export const orDefect =
  <B, R2>(internalError: Effect.Effect<B, never, R2>) =>
  <A, E, R>(handler: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R | R2> =>
    Effect.catchAllCause(handler, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.zipRight(Effect.logError("Defect in the sandbox", cause), internalError)
    )
