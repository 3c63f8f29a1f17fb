import * as Effect from "effect/Effect"
import * as Execution from "../Execution.js"

/** Fails if the payload and the result were deleted. */
export const unlessPurged = (
  execution: Execution.Execution
): Effect.Effect<Execution.Execution, Execution.ExecutionPurged> => {
  const { businessKey, end, isPurged, workflow } = execution
  return isPurged && end !== undefined
    ? Effect.fail(
        new Execution.ExecutionPurged({
          workflow,
          businessKey,
          state: end.state,
          endedMillis: end.atMillis
        })
      )
    : Effect.succeed(execution)
}
