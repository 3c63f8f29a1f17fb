import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import type * as Running from "../Running.js"
import * as metrics from "./metrics.js"
import { persistently } from "./persistently.js"

const isStorageError = (error: Execution.StorageError): error is Execution.StorageError =>
  error._tag === "StorageError"

/** Stores how an execution ended, once. The engine stores the result itself. */
export const recordEnd = (engine: Engine.Service, name: Engine.Name, state: Execution.EndState) =>
  Effect.gen(function* () {
    const atMillis = yield* Clock.currentTimeMillis
    const isFirst = yield* persistently(
      engine.modify(name, (execution) => [
        execution.end === undefined,
        { ...execution, pause: undefined, end: execution.end ?? { state, atMillis } }
      ]),
      isStorageError
    )
    if (isFirst._tag === "Some" && isFirst.value) yield* metrics.onEnd(name.workflow, state)
  })

/** Reads the stored payload of an execution. */
export const readPayload =
  <P, PI>(schema: Schema.Schema<P, PI>) =>
  ({
    businessKey,
    payload,
    workflow
  }: Engine.Name & { readonly payload: string }): Either.Either<P, Execution.UnreadablePayload> =>
    Either.mapLeft(
      ParseResult.decodeUnknownEither(schema)(payload === "" ? undefined : JSON.parse(payload)),
      (issue) =>
        new Execution.UnreadablePayload({
          workflow,
          businessKey,
          issues: Issues.fromParseIssue(issue)
        })
    )

/**
 * The payload of an execution. If it no longer fits its schema, the execution waits for a process with a
 * schema that it fits: the sweeper runs it again.
 */
export const payloadOf = <P, PI>(
  engine: Engine.Service,
  { businessKey, workflow }: Engine.Name,
  schema: Schema.Schema<P, PI>
) =>
  Effect.gen(function* () {
    const name = { workflow, businessKey }
    const stored = yield* persistently(engine.find(name), isStorageError)
    const payload = readPayload(schema)(Option.getOrElse(stored, () => ({ ...name, payload: "" })))
    if (Either.isRight(payload)) return payload.right
    yield* Effect.logError(payload.left.message)
    return yield* Workflow.suspend(yield* WorkflowEngine.WorkflowInstance)
  })

/**
 * Undoes the steps of a body that fails, the last one first. After a write that moved money although it
 * ended with an error, or that may have, nothing is undone.
 */
export const compensated =
  (execution: Running.Service) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchAll(body, (error) =>
      Effect.suspend(() => {
        const undone = execution.money.isInDoubt ? [] : [...execution.compensations].reverse()
        execution.isCompensating = true
        return Effect.zipRight(
          Effect.forEach(undone, (compensation) => compensation, { discard: true }),
          Effect.fail(error)
        )
      })
    )

/**
 * Gives a body the services of its layer. The engine would run it with those of its own layer, or of whoever
 * starts the execution: such as the account of another tenant.
 */
export const given = <G>(services: Context.Context<G>) => {
  // These belong to the execution.
  const own = Context.omit(
    WorkflowEngine.WorkflowInstance,
    Scope.Scope,
    Tracer.ParentSpan
  )(services)
  return <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.mapInputContext(body, (context: Context.Context<R>) => Context.merge(context, own))
}

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
