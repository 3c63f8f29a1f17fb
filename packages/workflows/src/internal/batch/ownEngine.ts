import * as Engine from "@manilla/workflow-engine/Engine"
import type * as Execution from "@manilla/workflow-engine/Execution"
import * as Names from "@manilla/workflow-engine/Names"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { BatchEngine, type PayoutExecution, type Service } from "../../BatchEngine.js"
import { workflow } from "../../DisbursePayout.js"
import { lastError } from "./doubts.js"
import * as rules from "./rules.js"

/** The engines of this project beneath batches. */
export const layer = (start: Effect.Effect<Service["startBatch"], never, Engine.Engine>) =>
  Layer.effect(
    BatchEngine,
    Effect.gen(function* () {
      const engine = yield* Engine.Engine
      const payouts = yield* Operator.of(workflow)
      const startBatch = yield* start
      const toFound = (found: Execution.Execution) =>
        Effect.gen(function* () {
          const { dueMillis, executionId, exit, isPurged, pause, payload, resource } = found
          const isPaused = Names.parsePause(pause ?? "")?.kind === "carryOn"
          const execution: PayoutExecution = {
            payload: isPurged ? undefined : JSON.parse(payload),
            end: exit === undefined ? undefined : yield* Effect.orDie(rules.decodeEnd(exit)),
            isCreated: resource !== undefined,
            doubt: Effect.map(engine.steps(executionId), (steps) => ({
              error: lastError(steps),
              nextMillis: isPaused ? dueMillis : undefined
            }))
          }
          return execution
        })
      return {
        batches: engine.batches,
        startBatch,
        // None of these engines stops an execution that has not ended.
        findBatch: () => Effect.succeedNone,
        startPayout: payouts.start,
        findPayout: (businessKey) =>
          Effect.flatMap(engine.find({ workflow: workflow.name, businessKey }), (found) =>
            Effect.transposeOption(Option.map(found, toFound))
          )
      }
    })
  )
