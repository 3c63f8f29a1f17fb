/**
 * The engine in memory, for tests and for programs that need no durability: executions end with the
 * process. The same workflows continue after a crash on `@manilla/workflow-engine/sqlite`.
 *
 * @since 0.1.0
 */
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Batches from "./Batches.js"
import type * as Engine from "./Engine.js"
import * as engine from "./internal/engine.js"
import * as memoryBatches from "./internal/memoryBatches.js"
import * as memoryStore from "./internal/memoryStore.js"

/**
 * A layer that provides an engine in memory. Its executions end with the process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Engine.Engine | WorkflowEngine.WorkflowEngine> =
  Layer.unwrapEffect(
    Effect.map(memoryStore.make, (store) =>
      engine.layer(store, { pollInterval: "1 hour", beatInterval: "1 hour" })
    )
  ).pipe(
    // Memory does not fail.
    Layer.orDie
  )

/**
 * A table of batches in memory, for tests with an engine that is not of this package.
 *
 * @since 0.1.0
 * @category operating
 */
export const batches: Effect.Effect<Batches.Service> = memoryBatches.make
