import * as Effect from "effect/Effect"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"

/** See `Engine.Service.register`. */
export const make = (): Engine.Service["register"] => {
  const names = new Set<string>()
  return (workflow) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        if (names.has(workflow)) return Effect.fail(new Execution.DuplicateWorkflow({ workflow }))
        names.add(workflow)
        return Effect.void
      }),
      () => Effect.sync(() => names.delete(workflow))
    )
}
