/**
 * The engine in memory, for tests and for programs that need no durability: executions end with the
 * process. The same workflows continue after a crash on `@manilla/workflows/sqlite`.
 *
 * @since 0.1.0
 */
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Engine from "./Engine.js"
import type * as Execution from "./Execution.js"

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<Engine.Service> = Effect.sync(() => {
  const executions = new Map<string, Execution.Execution>()
  const keyOf = ({ businessKey, workflow }: Engine.Name) => JSON.stringify([workflow, businessKey])

  return {
    insert: (execution) =>
      Effect.sync(() => {
        const key = keyOf(execution)
        const stored = executions.get(key) ?? execution
        executions.set(key, stored)
        return stored
      }),
    find: (name) => Effect.sync(() => Option.fromNullable(executions.get(keyOf(name)))),
    modify: (name, change) =>
      Effect.sync(() => {
        const stored = executions.get(keyOf(name))
        if (stored === undefined) return Option.none()
        const [result, changed] = change(stored)
        executions.set(keyOf(name), changed)
        return Option.some(result)
      }),
    overdue: (workflow, beforeMillis, limit) =>
      Effect.sync(() =>
        [...executions.values()]
          .filter(
            (execution) =>
              execution.workflow === workflow &&
              execution.endedMillis === undefined &&
              execution.dueMillis < beforeMillis
          )
          .sort((a, b) => a.dueMillis - b.dueMillis)
          .slice(0, limit)
      ),
    // It has no messages: `resume` runs an execution again at once.
    nudge: () => Effect.void
  }
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Engine.Engine | WorkflowEngine.WorkflowEngine> = Layer.merge(
  Layer.effect(Engine.Engine, make),
  WorkflowEngine.layerMemory
)
