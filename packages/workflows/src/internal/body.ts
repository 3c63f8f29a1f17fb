import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Engine from "../Engine.js"
import type * as Execution from "../Execution.js"
import * as metrics from "./metrics.js"
import { persistently } from "./persistently.js"
import type * as running from "./running.js"

/** Stores how an execution ended, once. The engine stores the result itself. */
export const recordEnd = (engine: Engine.Service, name: Engine.Name, state: Execution.EndState) =>
  Effect.gen(function* () {
    const atMillis = yield* Clock.currentTimeMillis
    const isFirst = yield* persistently(
      engine.modify(name, (execution) => [
        execution.end === undefined,
        { ...execution, pause: undefined, end: execution.end ?? { state, atMillis } }
      ]),
      (error): error is Execution.StorageError => error._tag === "StorageError"
    )
    if (isFirst._tag === "Some" && isFirst.value) yield* metrics.onEnd(name.workflow, state)
  })

/**
 * Undoes the steps of a body that fails, the last one first. After an unknown outcome nothing is undone:
 * the money may have moved.
 */
export const compensated =
  (execution: running.Service) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAll(body, (error) =>
      Effect.suspend(() => {
        const undone = execution.money.isUnknown ? [] : [...execution.compensations].reverse()
        execution.isCompensating = true
        return Effect.zipRight(
          Effect.forEach(undone, (compensation) => compensation, { discard: true }),
          Effect.fail(error)
        )
      })
    )

/** Stores the end of a body. A body that is suspended is interrupted, and has not ended. */
export const recorded =
  (engine: Engine.Service, name: Engine.Name) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.matchCauseEffect(body, {
      onSuccess: (value) => Effect.as(recordEnd(engine, name, "Succeeded"), value),
      onFailure: (cause) =>
        Cause.isInterrupted(cause)
          ? Effect.failCause(cause)
          : Effect.zipRight(
              recordEnd(engine, name, Cause.isDie(cause) ? "Died" : "Failed"),
              Effect.failCause(cause)
            )
    })
