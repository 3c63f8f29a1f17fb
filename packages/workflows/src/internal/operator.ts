import * as DurableClock from "@effect/workflow/DurableClock"
import type * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import type * as Operator from "../Operator.js"
import * as Policy from "../Policy.js"
import * as body from "./body.js"
import { type Definition, workflowOf } from "./definition.js"
import { differences } from "./differences.js"
import { jitter } from "./jitter.js"

/** How often `await` looks for the end of an execution. */
const awaitMillis = Duration.toMillis("1 second")

/** How often the sweeper looks for executions that should have made progress. */
const sweepInterval = Duration.seconds(10)
/** How late an execution may be before the sweeper wakes it. */
const graceMillis = Duration.toMillis("15 seconds")
/** The most executions that one sweep wakes. The others follow in the next. */
const sweepLimit = 100

/**
 * Operates the executions of a workflow, and sweeps for those that stopped.
 *
 * The sweep is needed because the engine can lose a wake-up (Effect-TS/effect #6318): if a pause ends
 * while its execution is being suspended, nothing resumes it.
 */
const make = <Request, RequestI, Resource, ResourceI, Failure, FailureI, R>(
  definition: Definition<Request, RequestI, Resource, ResourceI, Failure, FailureI, R>,
  workflow: ReturnType<
    typeof workflowOf<Request, RequestI, Resource, ResourceI, Failure, FailureI, R>
  >
) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const workflows = yield* WorkflowEngine.WorkflowEngine
    const inEngine = Effect.provideService(WorkflowEngine.WorkflowEngine, workflows)
    const { name } = definition

    const encode = ParseResult.validateEither(definition.request, { errors: "all" })
    const json = Schema.parseJson(definition.request)
    const toJson = Schema.encodeSync(json)
    const fromJson = Schema.decodeEither(json)
    const isBusinessKey = ParseResult.validateEither(Execution.BusinessKey)

    const found = (businessKey: string) =>
      Effect.flatMap(
        engine.find({ workflow: name, businessKey }),
        Option.match({
          onNone: () =>
            Effect.fail(new Execution.ExecutionNotFound({ workflow: name, businessKey })),
          onSome: Effect.succeed
        })
      )

    type End = Exit.Exit<Resource, Workflow.Workflow.Error<typeof workflow>>

    const end = (executionId: string) =>
      Effect.map(
        inEngine(Effect.exit(workflow.poll(executionId))),
        Exit.match({
          // An engine may report a defect of the workflow as its own.
          onFailure: (cause): Option.Option<End> => Option.some(Exit.failCause(cause)),
          onSuccess: (result) =>
            result?._tag === "Complete" ? Option.some(result.exit) : Option.none()
        })
      )

    const submit = (businessKey: string, request: Request) =>
      inEngine(workflow.execute({ businessKey, request }, { discard: true }))

    const wake = ({ executionId, pause }: Execution.Execution) =>
      Effect.gen(function* () {
        if (pause !== undefined) {
          const { deferred } = DurableClock.make({ name: pause, duration: Duration.zero })
          yield* workflows.deferredDone(deferred, {
            workflowName: name,
            executionId,
            deferredName: deferred.name,
            exit: Exit.void
          })
        }
        yield* inEngine(workflow.resume(executionId))
        yield* engine.nudge(name, executionId)
      })

    const statusOf = (execution: Execution.Execution) =>
      Effect.gen(function* () {
        const { businessKey, dueMillis, executionId, isCancelRequested, startedMillis } = execution
        const state = Option.match(yield* end(executionId), {
          onNone: (): Execution.State => (execution.pause === undefined ? "Running" : "Waiting"),
          onSome: (exit): Execution.State =>
            Exit.match(exit, {
              onSuccess: () => "Succeeded",
              onFailure: (cause) => (cause._tag === "Fail" ? "Failed" : "Died")
            })
        })
        return { businessKey, executionId, state, startedMillis, dueMillis, isCancelRequested }
      })

    const invalid = (businessKey: string, issue: ParseResult.ParseIssue) =>
      new Execution.InvalidPayload({
        workflow: name,
        businessKey,
        issues: Issues.fromParseIssue(issue)
      })

    const start = (businessKey: string, request: Request) =>
      Effect.gen(function* () {
        yield* Effect.mapError(isBusinessKey(businessKey), (issue) => invalid(businessKey, issue))
        yield* Effect.mapError(encode(request), (issue) => invalid(businessKey, issue))
        const payload = toJson(request)
        const executionId = yield* workflow.executionId({ businessKey, request })
        const now = yield* Clock.currentTimeMillis
        const stored = yield* engine.insert({
          workflow: name,
          businessKey,
          executionId,
          payload,
          startedMillis: now,
          dueMillis: now,
          pause: undefined,
          round: -1,
          isCancelRequested: false,
          endedMillis: undefined
        })
        const differs = differences(JSON.parse(stored.payload), JSON.parse(payload))
        if (differs.length > 0) {
          return yield* new Execution.PayloadMismatch({ workflow: name, businessKey, differs })
        }
        yield* submit(businessKey, request)
        return yield* statusOf(stored)
      })

    const poll = (businessKey: string) =>
      Effect.flatMap(found(businessKey), ({ executionId }) => end(executionId))

    const awaitEnd: Operator.Service<
      Request,
      Resource,
      Workflow.Workflow.Error<typeof workflow>
    >["await"] = (businessKey) =>
      Effect.flatMap(
        poll(businessKey),
        Option.match({
          onNone: () =>
            Effect.zipRight(
              Effect.flatMap(jitter(awaitMillis), Effect.sleep),
              awaitEnd(businessKey)
            ),
          onSome: (exit) => exit
        })
      )

    /** Marks an execution that has ended, and wakes any other. */
    const sweepOne = (execution: Execution.Execution) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isEnded = Option.isSome(yield* end(execution.executionId))
        yield* engine.modify(execution, (stored) => [
          undefined,
          isEnded
            ? { ...stored, endedMillis: now }
            : { ...stored, dueMillis: Math.max(stored.dueMillis, now) }
        ])
        if (isEnded) return
        yield* Either.match(fromJson(execution.payload), {
          onLeft: () =>
            Effect.logError(
              `${name}: the stored payload of ${execution.businessKey} no longer fits its schema`
            ),
          // The process may have died after it stored the execution and before it submitted it.
          onRight: (request) =>
            Effect.zipRight(submit(execution.businessKey, request), wake(execution))
        })
      })

    const sweep = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const late = yield* engine.overdue(name, now - graceMillis, sweepLimit)
      yield* Effect.forEach(late, sweepOne, { discard: true })
    }).pipe(
      Effect.catchAllCause((cause) =>
        Effect.logWarning(`${name}: a sweep for executions that stopped has failed`, cause)
      )
    )

    yield* sweep.pipe(
      Effect.zipRight(Effect.sleep(sweepInterval)),
      Effect.forever,
      Effect.forkScoped
    )

    return {
      start,
      status: (businessKey: string) => Effect.flatMap(found(businessKey), statusOf),
      poll,
      await: awaitEnd,
      resume: (businessKey: string) => Effect.flatMap(found(businessKey), wake),
      interrupt: (businessKey: string) =>
        Effect.gen(function* () {
          yield* found(businessKey)
          const stored = yield* engine.modify({ workflow: name, businessKey }, (execution) => {
            const changed = { ...execution, isCancelRequested: true }
            return [changed, changed]
          })
          yield* Option.match(stored, { onNone: () => Effect.void, onSome: wake })
        })
    }
  })

/** A layer that runs the workflow and operates it. */
export const layer = <Self, Request, RequestI, Resource, ResourceI, Failure, FailureI, R>(
  tag: Context.Tag<
    Self,
    Operator.Service<
      Request,
      Resource,
      Workflow.Workflow.Error<
        ReturnType<typeof workflowOf<Request, RequestI, Resource, ResourceI, Failure, FailureI, R>>
      >
    >
  >,
  definition: Definition<Request, RequestI, Resource, ResourceI, Failure, FailureI, R>,
  policy: Partial<Policy.Policy> = {}
): Layer.Layer<Self, never, R | Engine.Engine | WorkflowEngine.WorkflowEngine> => {
  const workflow = workflowOf(definition)
  const registered = Layer.unwrapEffect(
    Effect.map(Engine.Engine, (engine) =>
      workflow.toLayer(body.make(definition, { ...Policy.defaults, ...policy }, engine))
    )
  )
  return Layer.provideMerge(Layer.scoped(tag, make(definition, workflow)), registered)
}
