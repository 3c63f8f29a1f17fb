import type * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { differences } from "../Encoding.js"
import * as Execution from "../Execution.js"
import * as codecs from "./codecs.js"
import type * as engineStore from "./engineStore.js"
import * as metrics from "./metrics.js"
import * as transitions from "./transitions.js"

/** Starts executions. `insert` stores one that is new, and may run it at once. */
export const make = (
  { runners }: engineStore.EngineStore,
  insert: engineStore.EngineStore["insert"]
) => {
  /** A new execution, which is not stored yet. */
  const newExecution = (
    workflow: Workflow.Any,
    executionId: string,
    payload: unknown,
    parent: string | undefined
  ) =>
    Effect.gen(function* () {
      const { name } = workflow
      const businessKey = Execution.keyIn(payload) ?? executionId
      const encoded = codecs.writePayload(workflow, payload)
      const issuesOfKey = yield* codecs.issuesOf(workflow, executionId, businessKey)
      const issues = issuesOfKey.concat(Either.isLeft(encoded) ? encoded.left : [])
      if (Either.isLeft(encoded) || issues.length > 0) {
        return yield* new Execution.InvalidPayload({ workflow: name, businessKey, issues })
      }
      return transitions.started({
        workflow: name,
        businessKey,
        executionId,
        payload: encoded.right,
        parent,
        startedMillis: yield* runners.now
      })
    })

  /** Starts an execution, or finds it. Fails if the key belongs to another one. */
  const record = (workflow: Workflow.Any, execution: Execution.Execution) =>
    Effect.gen(function* () {
      const { businessKey, payload } = execution
      const earlier = yield* insert(execution)
      if (Option.isNone(earlier)) {
        yield* metrics.onStart(workflow)
        return execution
      }
      const stored = yield* codecs.unlessPurged(earlier.value)
      const differs = differences(JSON.parse(stored.payload), JSON.parse(payload))
      // A body that runs again may compute another payload, such as a time: the first one counts.
      const isRepeated = execution.parent !== undefined && execution.parent === stored.parent
      if (differs.length === 0 || isRepeated) return stored
      if (stored.end === undefined) yield* codecs.readPayload(workflow, stored)
      const { name } = workflow
      return yield* new Execution.PayloadMismatch({ workflow: name, businessKey, differs })
    })

  const start = (workflow: Workflow.Any, executionId: string, payload: unknown, parent?: string) =>
    Effect.flatMap(newExecution(workflow, executionId, payload, parent), (execution) =>
      record(workflow, execution)
    )

  return { newExecution, record, start }
}
