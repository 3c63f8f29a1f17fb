/**
 * Responses in their envelopes (interface section 2.1).
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Refusal } from "../rules/refusal.js"
import * as envelope from "./envelope.js"

/** The correlation id of the current request. */
export class Correlation extends Context.Reference<Correlation>()("@manilla/sandbox/Correlation", {
  defaultValue: (): string | null => null
}) {}

const encodeFailure = Schema.encodeSync(envelope.Failure)

export const failure = ({
  code,
  details,
  issues,
  message,
  status
}: Refusal): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Correlation, (correlation_id) =>
    HttpServerResponse.unsafeJson(
      encodeFailure({
        success: false,
        data: { error: { code, message, details: issues ?? details } },
        meta: { correlation_id }
      }),
      { status }
    )
  )
