import type * as Workflow from "@effect/workflow/Workflow"
import { differences } from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Effect from "effect/Effect"

/** Compares a payload as JSON with the one that the execution with the same key has. */
export const samePayload = (
  { name }: Workflow.Any,
  businessKey: string,
  stored: unknown,
  payload: unknown
): Effect.Effect<void, Execution.PayloadMismatch> => {
  const differs = differences(stored, JSON.parse(JSON.stringify(payload)))
  return differs.length === 0
    ? Effect.void
    : Effect.fail(new Execution.PayloadMismatch({ workflow: name, businessKey, differs }))
}
