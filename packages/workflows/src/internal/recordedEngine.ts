import * as DurableClock from "@effect/workflow/DurableClock"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Engine from "../Engine.js"
import type * as store from "./store.js"
import * as Execution from "../Execution.js"
import { differences } from "./differences.js"
import * as executions from "./execution.js"
import * as metrics from "./metrics.js"
import { once } from "./once.js"
import { persistently } from "./persistently.js"
import { withJournal } from "./run.js"
import * as storedJournal from "./storedJournal.js"

type Service = WorkflowEngine.WorkflowEngine["Type"]

/** How often the sweeper looks for executions that should have made progress. */
const sweepInterval = Duration.seconds(10)
/** How late an execution may be before the sweeper wakes it. */
const graceMillis = Duration.toMillis("15 seconds")
/** The most executions that one sweep wakes. The others follow in the next. */
const sweepLimit = 100

/** A workflow without its payload. */
interface Described<Name, A, E> {
  readonly name: Name
  readonly successSchema: A
  readonly errorSchema: E
  readonly annotations: Context.Context<never>
}

/** The workflow as the engine sees it: the row of the execution has the payload. */
const bareOf = once(
  <Name extends string, A extends Schema.Schema.Any, E extends Schema.Schema.All>({
    annotations,
    errorSchema,
    name,
    successSchema
  }: Described<Name, A, E>) =>
    Workflow.make({
      name,
      payload: {},
      success: successSchema,
      error: errorSchema,
      idempotencyKey: () => "",
      annotations
    })
)

const codecOf = once(({ ast }: Workflow.AnyStructSchema) => {
  const payload = Schema.make<unknown, unknown>(ast)
  return {
    toJson: Schema.encodeSync(Schema.parseJson(payload)),
    fromJson: ParseResult.decodeUnknownEither(payload)
  }
})

/** The key under which an operator finds an execution: the member `key` of its payload, or its id. */
export const keyOf = (payload: unknown, executionId: string): string =>
  Predicate.hasProperty(payload, "key") && typeof payload.key === "string"
    ? payload.key
    : executionId

/** Reads the stored payload of an execution. */
export const readPayload = (
  { payloadSchema }: Workflow.Any,
  { businessKey, payload, workflow }: Execution.Execution
): Either.Either<unknown, Execution.UnreadablePayload> =>
  Either.mapLeft(
    codecOf(payloadSchema).fromJson(payload === "" ? undefined : JSON.parse(payload)),
    (issue) =>
      new Execution.UnreadablePayload({
        workflow,
        businessKey,
        issues: Issues.fromParseIssue(issue)
      })
  )

const ends = new WeakMap<Service, (executionId: string) => Effect.Effect<void>>()

/** Waits until the body of an execution ends in this process. Its result is stored a moment later. */
export const bodyEnd = (engine: Service, executionId: string): Effect.Effect<void> =>
  ends.get(engine)?.(executionId) ?? Effect.never

/** Why an execution does not start. For `execute`, which has no such errors, they are defects. */
export type StartError =
  | Execution.PayloadMismatch
  | Execution.UnreadablePayload
  | Execution.ExecutionPurged
  | Execution.StorageError

/**
 * An engine that keeps a row for each execution: an operator finds it there, and the blocks keep their journal.
 *
 * It also sweeps for executions that stopped, because the engine can lose a wake-up (Effect-TS/effect #6318): if a
 * pause ends while its execution is being suspended, nothing resumes it.
 */
export const make = (inner: Service, store: store.Store): Service => {
  const names = new Set<string>()
  const waiting = new Map<string, Set<() => void>>()

  /** Stores the row of a new execution. Fails if the key belongs to another one. */
  const record = (workflow: Workflow.Any, executionId: string, payload: unknown) =>
    Effect.gen(function* () {
      const { name, payloadSchema } = workflow
      const encoded = codecOf(payloadSchema).toJson(payload)
      const businessKey = keyOf(payload, executionId)
      const now = yield* Clock.currentTimeMillis
      const { isNew, stored } = yield* store.insert({
        workflow: name,
        businessKey,
        executionId,
        payload: encoded,
        startedMillis: now,
        dueMillis: now,
        pause: undefined,
        begun: {},
        resource: undefined,
        isCancelRequested: false,
        end: undefined,
        isPurged: false
      })
      if (isNew) return yield* metrics.onStart(name)
      yield* executions.unlessPurged(stored)
      const differs = differences(JSON.parse(stored.payload), JSON.parse(encoded))
      if (differs.length === 0) return
      if (stored.end === undefined) yield* readPayload(workflow, stored)
      return yield* new Execution.PayloadMismatch({ workflow: name, businessKey, differs })
    })

  const recordEnd = (executionId: string, name: string, state: Execution.EndState) =>
    Effect.gen(function* () {
      const atMillis = yield* Clock.currentTimeMillis
      const change = store.modify(executionId, (execution) => [
        execution.end === undefined,
        { ...execution, pause: undefined, end: execution.end ?? { state, atMillis } }
      ])
      const isFirst = yield* persistently(change, executions.isStorageError)
      if (Option.contains(isFirst, true)) yield* metrics.onEnd(name, state)
      waiting.get(executionId)?.forEach((resume) => resume())
    })

  /** Stores the end of a body. A body that is suspended is interrupted, and has not ended. */
  const recorded =
    (executionId: string, name: string) =>
    <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.tapErrorCause(
        Effect.tap(body, () => recordEnd(executionId, name, "Succeeded")),
        (cause) =>
          Cause.isInterrupted(cause)
            ? Effect.void
            : recordEnd(executionId, name, Cause.isDie(cause) ? "Died" : "Failed")
      )

  /**
   * The payload of an execution. If it no longer fits its schema, the execution waits for a process with a schema
   * that it fits: the sweeper runs it again.
   */
  const payloadOf = (workflow: Workflow.Any, executionId: string) =>
    Effect.gen(function* () {
      const stored = yield* store.read(executionId)
      if (Option.isNone(stored)) return yield* Effect.dieMessage(`no row of ${executionId}`)
      const payload = readPayload(workflow, stored.value)
      const setPause = (pause: string | undefined) =>
        store.modify(executionId, (execution) => [undefined, { ...execution, pause }])
      if (Either.isRight(payload)) {
        if (stored.value.pause === executions.unreadable) yield* setPause(undefined)
        return payload.right
      }
      yield* Effect.logError(payload.left.message)
      if (executions.isUntouched(stored.value)) yield* setPause(executions.unreadable)
      return yield* Workflow.suspend(yield* WorkflowEngine.WorkflowInstance)
    }).pipe((read) => persistently(read, executions.isStorageError))

  const wake = (workflow: Workflow.Any, { executionId, pause }: Execution.Execution) =>
    Effect.gen(function* () {
      if (pause !== undefined) {
        const { deferred } = DurableClock.make({ name: pause, duration: Duration.zero })
        yield* inner.deferredDone(deferred, {
          workflowName: workflow.name,
          executionId,
          deferredName: deferred.name,
          exit: Exit.void
        })
      }
      yield* inner.resume(bareOf(workflow), executionId)
      yield* store.nudge(workflow.name, executionId)
    })

  const interrupt = (workflow: Workflow.Any, execution: Execution.Execution) =>
    // Without a journal, no block ends it.
    executions.isUntouched(execution)
      ? inner.interrupt(bareOf(workflow), execution.executionId)
      : wake(workflow, execution)

  /** Records the end of an execution that the engine ended, and wakes any other. */
  const sweepOne = (workflow: Workflow.Any, execution: Execution.Execution) =>
    Effect.gen(function* () {
      const { executionId } = execution
      const polled = yield* Effect.exit(inner.poll(bareOf(workflow), executionId))
      const end = endOf(polled)
      if (Option.isSome(end)) return yield* recordEnd(executionId, workflow.name, end.value)
      const now = yield* Clock.currentTimeMillis
      // Without a journal, nobody knows when it is due, unless it is to end.
      const isPatient = executions.isUntouched(execution) && !execution.isCancelRequested
      const dueMillis = isPatient ? executions.never : now
      yield* store.modify(executionId, (stored) => [
        undefined,
        { ...stored, dueMillis: Math.max(stored.dueMillis, dueMillis) }
      ])
      // The process may have died after it stored the execution and before it submitted it.
      yield* inner.execute(bareOf(workflow), { executionId, payload: {}, discard: true })
      yield* execution.isCancelRequested
        ? interrupt(workflow, execution)
        : wake(workflow, execution)
    })

  const sweep = (workflow: Workflow.Any) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const late = yield* store.overdue(workflow.name, now - graceMillis, sweepLimit)
      yield* Effect.forEach(late, (execution) => sweepOne(workflow, execution), { discard: true })
      yield* metrics.setOpen(workflow.name, yield* store.open(workflow.name), now)
    }).pipe(
      (swept) => persistently(swept, executions.isStorageError),
      Effect.catchAllCause((cause) =>
        Effect.logWarning(`${workflow.name}: a sweep for executions that stopped has failed`, cause)
      ),
      Effect.zipRight(Effect.sleep(sweepInterval)),
      Effect.forever
    )

  const register: Service["register"] = (workflow, execute) =>
    Effect.gen(function* () {
      if (names.has(workflow.name)) {
        return yield* Effect.die(new Execution.DuplicateWorkflow({ workflow: workflow.name }))
      }
      names.add(workflow.name)
      yield* Effect.addFinalizer(() => Effect.sync(() => names.delete(workflow.name)))
      // The engine would run the body with the services of whoever starts an execution: such as the account of
      // another tenant. These belong to the execution.
      const services = Context.omit(
        WorkflowEngine.WorkflowInstance,
        Scope.Scope,
        Tracer.ParentSpan
      )(yield* Effect.context<never>())
      yield* inner.register(bareOf(workflow), (_, executionId) =>
        payloadOf(workflow, executionId).pipe(
          Effect.flatMap((payload) => execute(payload, executionId)),
          recorded(executionId, workflow.name),
          given(services)
        )
      )
      yield* Effect.forkScoped(sweep(workflow))
    })

  const engine: Service = {
    ...inner,
    register,
    execute: (workflow, options) =>
      record(workflow, options.executionId, options.payload).pipe(
        Effect.orDie,
        Effect.zipRight(inner.execute(bareOf(workflow), { ...options, payload: {} }))
      ),
    poll: (workflow, executionId) => inner.poll(bareOf(workflow), executionId),
    resume: (workflow, executionId) =>
      Effect.flatMap(
        Effect.orDie(store.read(executionId)),
        Option.match({
          onNone: () => Effect.void,
          onSome: (execution) => wake(workflow, execution)
        })
      ),
    interrupt: (workflow, executionId) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        store.modify(executionId, (execution) => [
          execution,
          // The sweeper looks for its end.
          { ...execution, isCancelRequested: true, dueMillis: Math.min(execution.dueMillis, now) }
        ])
      ).pipe(
        Effect.orDie,
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.void,
            onSome: (execution) => interrupt(workflow, execution)
          })
        )
      )
  }
  ends.set(engine, (executionId) =>
    Effect.async((resume) => {
      const wake = () => resume(Effect.void)
      const others = waiting.get(executionId) ?? new Set()
      waiting.set(executionId, others.add(wake))
      return Effect.sync(() => {
        others.delete(wake)
        if (others.size === 0) waiting.delete(executionId)
      })
    })
  )
  return withJournal(engine, storedJournal.make(store))
}

/** Runs a body with these services, whatever the engine provides. */
const given =
  (services: Context.Context<never>) =>
  <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.mapInputContext(body, (context: Context.Context<R>) => Context.merge(context, services))

/** How an execution ended, according to the engine. */
const endOf = (
  polled: Exit.Exit<Workflow.Result<unknown, unknown> | undefined>
): Option.Option<Execution.EndState> => {
  // An engine may report a defect of the workflow as its own.
  if (Exit.isFailure(polled)) return Option.some("Died")
  if (polled.value?._tag !== "Complete") return Option.none()
  return Option.some(
    Exit.match(polled.value.exit, {
      onSuccess: () => "Succeeded",
      onFailure: (cause) =>
        cause._tag === "Fail" || Cause.isInterruptedOnly(cause) ? "Failed" : "Died"
    })
  )
}

/** See `make`. */
export const layer = <E, R>(
  engine: Layer.Layer<WorkflowEngine.WorkflowEngine, E, R>
): Layer.Layer<WorkflowEngine.WorkflowEngine, E, R | Engine.Engine> =>
  Layer.effect(
    WorkflowEngine.WorkflowEngine,
    Effect.map(Effect.all([WorkflowEngine.WorkflowEngine, Engine.Engine]), ([inner, store]) =>
      make(inner, store)
    )
  ).pipe(Layer.provide(engine))
