import * as DurableClock from "@effect/workflow/DurableClock"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import type * as Operator from "../Operator.js"
import { readPayload, recordEnd } from "./body.js"
import { differences } from "./differences.js"
import { jitter } from "./jitter.js"
import * as metrics from "./metrics.js"
import { persistently } from "./persistently.js"
import { purge } from "./purge.js"

/**
 * The pause between two looks of `await`: a tenth of the time already waited. Thousands of executions that are
 * awaited for long would otherwise keep the process and its database busy.
 */
const awaitPauseMillis = (waitedMillis: number): number =>
  Math.min(10_000, Math.max(1_000, waitedMillis / 10))

/** How often the sweeper looks for executions that should have made progress. */
const sweepInterval = Duration.seconds(10)
/** How late an execution may be before the sweeper wakes it. */
const graceMillis = Duration.toMillis("15 seconds")
/** The most executions that one sweep wakes. The others follow in the next. */
const sweepLimit = 100

const isStorageError = (error: Execution.StorageError): error is Execution.StorageError =>
  error._tag === "StorageError"

const endStateOf = Exit.match({
  onSuccess: (): Execution.EndState => "Succeeded",
  onFailure: (cause: Cause.Cause<unknown>): Execution.EndState =>
    cause._tag === "Fail" ? "Failed" : "Died"
})

/** The engine's workflow of a definition. */
export const workflowOf = <P, PI, A, AI, E, EI, R>({
  error,
  name,
  success
}: Operator.Definition<P, PI, A, AI, E, EI, R>) =>
  Workflow.make({
    name,
    // The store has the payload.
    payload: { businessKey: Schema.String },
    success,
    error,
    idempotencyKey: ({ businessKey }) => businessKey
  })

/**
 * Operates the executions of a workflow, and sweeps for those that stopped.
 *
 * The sweep is needed because the engine can lose a wake-up (Effect-TS/effect #6318): if a pause ends
 * while its execution is being suspended, nothing resumes it.
 */
export const make = <P, PI, A, AI, E, EI, R>(
  { name, payload: Payload }: Operator.Definition<P, PI, A, AI, E, EI, R>,
  workflow: ReturnType<typeof workflowOf<P, PI, A, AI, E, EI, R>>
) =>
  Effect.gen(function* () {
    const engine = yield* Engine.Engine
    const workflows = yield* WorkflowEngine.WorkflowEngine
    /** An execution that a step of another one starts is not a part of that one. */
    const inEngine = <A, E>(effect: Effect.Effect<A, E, WorkflowEngine.WorkflowEngine>) =>
      Effect.mapInputContext(effect, (context: Context.Context<never>) =>
        Context.omit(WorkflowEngine.WorkflowInstance)(context).pipe(
          Context.add(WorkflowEngine.WorkflowEngine, workflows)
        )
      )

    const encode = ParseResult.validateEither(Payload, { errors: "all" })
    const toJson = Schema.encodeSync(Schema.parseJson(Payload))
    const read = readPayload(Payload)
    const isBusinessKey = ParseResult.validateEither(Execution.BusinessKey)

    const found = (businessKey: string) =>
      Effect.flatMap(
        // A database refuses some texts that are no business keys.
        Either.isRight(isBusinessKey(businessKey))
          ? engine.find({ workflow: name, businessKey })
          : Effect.succeedNone,
        Option.match({
          onNone: () =>
            Effect.fail(new Execution.ExecutionNotFound({ workflow: name, businessKey })),
          onSome: Effect.succeed
        })
      )

    const unlessPurged = (execution: Execution.Execution) =>
      execution.isPurged && execution.end !== undefined
        ? Effect.fail(
            new Execution.ExecutionPurged({
              workflow: name,
              businessKey: execution.businessKey,
              state: execution.end.state,
              endedMillis: execution.end.atMillis
            })
          )
        : Effect.succeed(execution)

    type End = Exit.Exit<A, E>

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

    const submit = (businessKey: string) =>
      inEngine(workflow.execute({ businessKey }, { discard: true }))

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

    const invalid = (
      businessKey: string,
      issue: ParseResult.ParseIssue,
      root: ReadonlyArray<string> = []
    ) =>
      new Execution.InvalidPayload({
        workflow: name,
        businessKey,
        issues: Issues.fromParseIssue(issue, root)
      })

    const start = (businessKey: string, payload: P) =>
      Effect.gen(function* () {
        yield* Effect.mapError(isBusinessKey(businessKey), (issue) =>
          invalid(businessKey, issue, ["businessKey"])
        )
        yield* Effect.mapError(encode(payload), (issue) => invalid(businessKey, issue))
        const encoded = toJson(payload)
        const now = yield* Clock.currentTimeMillis
        const { isNew, stored } = yield* engine.insert({
          workflow: name,
          businessKey,
          executionId: yield* workflow.executionId({ businessKey }),
          payload: encoded,
          startedMillis: now,
          dueMillis: now,
          pause: undefined,
          begun: {},
          resource: undefined,
          isCancelRequested: false,
          isPaused: false,
          end: undefined,
          isPurged: false
        })
        yield* unlessPurged(stored)
        const differs = differences(JSON.parse(stored.payload), JSON.parse(encoded))
        if (differs.length > 0) {
          if (stored.end === undefined) yield* read(stored)
          return yield* new Execution.PayloadMismatch({ workflow: name, businessKey, differs })
        }
        if (isNew) yield* metrics.onStart(name)
        if (stored.end === undefined) yield* submit(businessKey)
        return Execution.toStatus(stored)
      })

    const status = (businessKey: string) =>
      Effect.gen(function* () {
        const execution = yield* found(businessKey)
        if (execution.end === undefined) yield* read(execution)
        return Execution.toStatus(execution)
      })

    const poll = (businessKey: string) =>
      Effect.gen(function* () {
        const execution = yield* Effect.flatMap(found(businessKey), unlessPurged)
        const ended = yield* end(execution.executionId)
        if (Option.isNone(ended)) yield* read(execution)
        return ended
      })

    const awaitEnd = (
      businessKey: string,
      waitedMillis = 0
    ): ReturnType<Operator.Service<P, A, E>["await"]> =>
      Effect.flatMap(
        poll(businessKey),
        Option.match({
          onNone: () =>
            Effect.gen(function* () {
              const pauseMillis = yield* jitter(awaitPauseMillis(waitedMillis))
              yield* Effect.sleep(pauseMillis)
              return yield* awaitEnd(businessKey, waitedMillis + pauseMillis)
            }),
          onSome: (exit) => exit
        })
      )

    /** Records the end of an execution that the engine ended, and wakes any other. */
    const sweepOne = (execution: Execution.Execution) =>
      Effect.gen(function* () {
        const ended = yield* end(execution.executionId)
        if (Option.isSome(ended)) {
          return yield* recordEnd(engine, execution, endStateOf(ended.value))
        }
        const now = yield* Clock.currentTimeMillis
        yield* engine.modify(execution, (stored) => [
          undefined,
          { ...stored, dueMillis: Math.max(stored.dueMillis, now) }
        ])
        // The process may have died after it stored the execution and before it submitted it.
        yield* submit(execution.businessKey)
        yield* wake(execution)
      })

    const sweep = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const late = yield* engine.overdue(name, now - graceMillis, sweepLimit)
      yield* Effect.forEach(late, sweepOne, { discard: true })
      yield* metrics.setOpen(name, yield* engine.open(name), now)
    }).pipe(
      (swept) => persistently(swept, isStorageError),
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
      workflow: name,
      start,
      status,
      poll,
      await: (businessKey: string) => awaitEnd(businessKey),
      resume: (businessKey: string) => Effect.flatMap(found(businessKey), wake),
      interrupt: (businessKey: string) =>
        Effect.gen(function* () {
          yield* found(businessKey)
          const stored = yield* engine.modify({ workflow: name, businessKey }, (execution) => {
            const changed = { ...execution, isCancelRequested: true }
            return [changed, changed]
          })
          yield* Option.match(stored, { onNone: () => Effect.void, onSome: wake })
        }),
      purge: (businessKey: string) =>
        Effect.gen(function* () {
          const execution = yield* found(businessKey)
          if (execution.isPurged) return
          if (execution.end === undefined || !(yield* purge(engine, execution))) {
            return yield* new Execution.ExecutionNotEnded({ workflow: name, businessKey })
          }
        })
    }
  })
