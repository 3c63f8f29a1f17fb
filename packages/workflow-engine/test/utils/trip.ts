/** A trip, which awaits a hotel that is paid and a flight that fails. */
import * as Activity from "@effect/workflow/Activity"
import * as DurableClock from "@effect/workflow/DurableClock"
import * as DurableDeferred from "@effect/workflow/DurableDeferred"
import * as Workflow from "@effect/workflow/Workflow"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Durable from "@manilla/workflows/Durable"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as engineStore from "../../src/internal/engineStore.js"
import * as engines from "./engines.js"

const workflow = <Name extends string>(name: Name) =>
  Workflow.make({
    name,
    payload: { key: Schema.String },
    error: Schema.Union(Schema.String, Execution.ExecutionCancelled),
    idempotencyKey: ({ key }) => key
  })
export const Trip = workflow("Shop/Trip/1")
export const Patient = Trip.annotate(Workflow.SuspendOnFailure, true)
export const Hotel = workflow("Shop/Hotel/1")
export const Flight = workflow("Shop/Flight/1")
export const key = "order-42"

export type Body = Effect.Effect<
  void,
  string | Execution.ExecutionCancelled,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance | Scope.Scope
>

export const done: Array<string> = []
export const note = (name: string, seconds = 0) =>
  Activity.make({
    name,
    execute: Effect.delay(
      Effect.sync(() => void done.push(name)),
      `${seconds} seconds`
    )
  })
export const sleep = DurableClock.sleep({ name: "a day", duration: "1 day" })
export const hotel = Hotel.execute({ key })
export const flight = Flight.execute({ key })

/** A process that runs a trip. The hotel is paid after four seconds, and the flight fails after two. */
export const on = (store: engineStore.EngineStore, body: Body, workflow = Trip) =>
  Layer.build(
    Layer.provideMerge(
      Layer.mergeAll(
        workflow.toLayer(() => body),
        Hotel.toLayer(() => note("pay hotel", 4)),
        Flight.toLayer(() => Effect.zipRight(note("fly", 2), Effect.fail("no seat")))
      ),
      engines.on(store)
    )
  )

/** A process that has started a trip on an empty store. */
export const started = <R>(
  make: Effect.Effect<engineStore.EngineStore, never, R>,
  body: Body,
  workflow = Trip
) =>
  Effect.gen(function* () {
    done.length = 0
    const store = yield* make
    const context = yield* on(store, body, workflow)
    const operator = yield* Effect.provide(Operator.of(workflow), context)
    yield* operator.start({ key })
    return { context, operator, store }
  })

export const all = (one: Body, other: Body) =>
  Effect.all([one, other], { concurrency: "unbounded", discard: true })
export const signal = DurableDeferred.await(DurableDeferred.make("approval"))
export const block = Effect.asVoid(Durable.sleep("a block", "1 day"))
