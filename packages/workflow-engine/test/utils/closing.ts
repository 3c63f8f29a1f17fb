/** The end of an engine while calls of its process await an execution. */
import { assert } from "@effect/vitest"
import type * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Engine from "@manilla/workflow-engine/Engine"
import * as Operator from "@manilla/workflow-engine/Operator"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { block, key, Trip } from "./trip.js"

/** Tests an engine in real time. */
export const test = <E>(
  engine: Effect.Effect<Layer.Layer<Engine.Engine | WorkflowEngine.WorkflowEngine>, E, Scope.Scope>
) =>
  Effect.gen(function* () {
    const layer = Trip.toLayer(() => Effect.orDie(block))
    const runtime = ManagedRuntime.make(Layer.provideMerge(layer, yield* engine))
    const operator = yield* Effect.promise(() => runtime.runPromise(Operator.of(Trip)))
    const calls = [
      runtime.runPromiseExit(Trip.execute({ key })),
      runtime.runPromiseExit(
        Effect.flatMap(Engine.Engine, (engine) =>
          Effect.flatMap(Trip.executionId({ key }), engine.untilEnd)
        )
      )
    ]
    yield* Effect.promise(() =>
      runtime.runPromise(
        Effect.repeat(Effect.delay(Effect.option(operator.status(key)), "10 millis"), {
          until: Option.exists(({ pause }) => pause !== undefined)
        })
      )
    )
    yield* Effect.promise(() => runtime.dispose())
    for (const exit of yield* Effect.promise(() =>
      Promise.all<Exit.Exit<unknown, unknown>>(calls)
    )) {
      assert.isTrue(Exit.isInterrupted(exit))
    }
  }).pipe(Effect.scoped, Effect.timeout("20 seconds"))
