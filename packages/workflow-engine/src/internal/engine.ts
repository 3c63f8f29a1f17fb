import type * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Body from "../Body.js"
import { differences } from "../Encoding.js"
import * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import * as Store from "../Store.js"
import * as Text from "../Text.js"
import * as children from "./children.js"
import * as codecs from "./codecs.js"
import { type EngineStore, forOperator } from "./engineStore.js"
import * as metrics from "./metrics.js"
import * as ownedRun from "./ownedRun.js"
import * as runners from "./runner.js"
import * as transitions from "./transitions.js"

/** After this time, a body looks again at an execution that it has started, in case nobody has woken it. */
const childPauseMillis = (ageMillis: number): number =>
  Math.min(Duration.toMillis("1 hour"), Math.max(Duration.toMillis("1 minute"), ageMillis / 10))
const healthTimeout = Duration.seconds(5)

const prefix = "DurableClock/"
const signalName = (deferred: string) => `deferred/${deferred}`

/** Ends a step that waits, without a result. */
const suspended = Effect.fail(new Workflow.Suspended({}))

const make = (store: EngineStore, options: runners.Options) =>
  Effect.gen(function* () {
    const owned = ownedRun.make(store)
    const { abandon, hasCancelled, isOver, keep, mark, read, resultsOf, runStep } = owned
    const { beats, insert, lookNow, runs, untilEnd, wake, workflows } = yield* runners.make(
      store,
      owned,
      options
    )

    /** The run of an execution in this process. A fiber that has outlived it does nothing more. */
    const runOf = (executionId: string) =>
      Effect.suspend(() => {
        const run = runs.get(executionId)
        if (run === undefined) return Effect.interrupt
        return run.isCut ? abandon(run) : Effect.succeed(run)
      })
    const current = Effect.flatMap(WorkflowEngine.WorkflowInstance, ({ executionId }) =>
      runOf(executionId)
    )

    /** A pause waits until nothing else runs in the body, and the step would wait for the pause. */
    const refuseInStep = (run: ownedRun.Run, { scope }: WorkflowEngine.WorkflowInstance["Type"]) =>
      Effect.gen(function* () {
        const { executionId, workflow } = run.execution
        if ((yield* Body.InStepOf) !== executionId || scope !== run.instance.scope) return
        return yield* Effect.dieMessage(
          `${workflow}: a step waits for a pause, a signal or an execution. Do that in the body, before or after the step.`
        )
      })

    /** A new execution, which is not stored yet. */
    const newExecution = (
      workflow: Workflow.Any,
      executionId: string,
      payload: unknown,
      parent: string | undefined
    ) =>
      Effect.gen(function* () {
        const { name } = workflow
        const businessKey = codecs.keyOf(payload, executionId)
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
          startedMillis: yield* store.runners.now
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

    const start = (
      workflow: Workflow.Any,
      executionId: string,
      payload: unknown,
      parent?: string
    ) =>
      Effect.flatMap(newExecution(workflow, executionId, payload, parent), (execution) =>
        record(workflow, execution)
      )

    /** The result of an execution: it has ended, or waits. Undefined if it runs. */
    const resultOf = (workflow: Workflow.Any, execution: Execution.Execution) =>
      Effect.gen(function* () {
        if (execution.end !== undefined) {
          const exit = yield* Effect.orDie(codecs.readEnd(workflow, execution))
          return new Workflow.Complete({ exit })
        }
        return execution.pause === undefined ? undefined : new Workflow.Suspended({})
      })

    /** Runs an activity in the fiber of its execution, and stores its result in one statement. */
    const activityExecute = <A extends Schema.Schema.Any, E extends Schema.Schema.All, R>(
      activity: Pick<Activity.Activity<A, E, R>, "name" | "execute" | keyof codecs.Schemas<A, E>>,
      attempt: number
    ) =>
      Effect.gen(function* () {
        const run = yield* current
        const { workflow } = yield* WorkflowEngine.WorkflowInstance
        const { executionId } = run.execution
        const name = `${activity.name}/${attempt}`
        yield* Text.checkName(name)
        const execute = Effect.gen(function* () {
          // A short pause is an activity.
          const isPause = name.startsWith(prefix)
          if (isPause && ownedRun.isAskedToEnd(run)) return yield* suspended
          const result = yield* activity.execute.pipe(
            Workflow.intoResult,
            Effect.provideService(WorkflowEngine.WorkflowEngine, engine),
            Effect.provideService(
              WorkflowEngine.WorkflowInstance,
              WorkflowEngine.WorkflowInstance.initial(workflow, executionId)
            ),
            Effect.provideService(Body.InStepOf, executionId)
          )
          return result._tag === "Complete" ? result.exit : yield* Effect.fail(result)
        })
        const exit = yield* runStep(run, name, codecs.endCodec(activity), execute)
        return new Workflow.Complete({ exit })
      }).pipe(Effect.merge)

    /**
     * Awaits an execution that a body has started. Its end becomes a step of the body, which can read it again although
     * the execution was purged.
     */
    const awaitChild = (
      workflow: Workflow.Any,
      executionId: string,
      payload: object,
      parent: WorkflowEngine.WorkflowInstance["Type"]
    ): Effect.Effect<Workflow.Result<unknown, unknown>> => {
      const pause = children.pauseOf(executionId)
      return Effect.gen(function* () {
        const run = yield* runOf(parent.executionId)
        yield* refuseInStep(run, parent)
        const { sideEffects } = run
        const wasStored = run.children.ends.has(pause)
        const step = children.stepOf(pause)
        const look = Effect.gen(function* () {
          if (yield* hasCancelled(run, pause)) return yield* suspended
          const started = newExecution(workflow, executionId, payload, parent.executionId)
          const execution = yield* Effect.orDie(started)
          sideEffects.open.add(pause)
          // Before the execution is stored, so that every later run knows of it.
          const begun = children.begunOf(pause)
          if (!(yield* resultsOf(run)).has(begun)) yield* mark(run, begun)
          const now = yield* store.runners.now
          const recorded = Store.persistently(record(workflow, execution))
          const { end, exit, outcome, resource, startedMillis } = yield* Effect.orDie(recorded)
          if (end === undefined || exit === undefined) {
            // Its end wakes the parent.
            run.pauses.add(pause)
            run.clocks.set(pause, now + childPauseMillis(now - startedMillis))
            return yield* suspended
          }
          const hasFailed = end.state !== "Succeeded"
          return Exit.succeed({ hasFailed, exit, outcome, resource })
        })
        const ended = Effect.gen(function* () {
          children.arrive(run.children, pause)
          const found = yield* Effect.exit(runStep(run, step, children.codec, look))
          children.looked(run.children, pause)
          // If it was cancelled here, a compensation has begun since then.
          const isCancelled = yield* hasCancelled(run, pause)
          if (!isCancelled) {
            yield* children.untilTurn(run.children, pause, wasStored)
            if (Exit.isFailure(found)) yield* children.settled(run.children)
          }
          const child = yield* Effect.flatten(found)
          const exit = yield* read(run, step, codecs.endCodec(workflow), child.exit)
          Body.end(sideEffects, pause, child)
          run.pauses.delete(pause)
          return new Workflow.Complete({ exit })
        })
        return yield* Effect.ensuring(
          ended,
          Effect.sync(() => children.leave(run.children, pause))
        )
      }).pipe(Effect.merge, Effect.provideService(WorkflowEngine.WorkflowInstance, parent))
    }

    /** A run that starts an execution twice must mean the same: otherwise, the second payment would be lost. */
    const refuseOther = (
      workflow: Workflow.Any,
      executionId: string,
      payload: object,
      parent: WorkflowEngine.WorkflowInstance["Type"]
    ) =>
      Effect.suspend(() => {
        const payloads = runs.get(parent.executionId)?.payloads
        const encoded = codecs.writePayload(workflow, payload)
        if (payloads === undefined || Either.isLeft(encoded)) return Effect.void
        const first = payloads.get(executionId) ?? encoded.right
        payloads.set(executionId, first)
        const differs = differences(JSON.parse(first), JSON.parse(encoded.right))
        if (differs.length === 0) return Effect.void
        const businessKey = codecs.keyOf(payload, executionId)
        return Effect.die(
          new Execution.PayloadMismatch({ workflow: workflow.name, businessKey, differs })
        )
      })

    const execute = (
      workflow: Workflow.Any,
      { discard, executionId, parent, payload }: Parameters<WorkflowEngine.Encoded["execute"]>[1]
    ): Effect.Effect<Workflow.Result<unknown, unknown> | void> =>
      Effect.gen(function* () {
        if (parent !== undefined) yield* refuseOther(workflow, executionId, payload, parent)
        if (parent !== undefined && !discard) {
          return yield* awaitChild(workflow, executionId, payload, parent)
        }
        const started = start(workflow, executionId, payload, parent?.executionId)
        if (parent !== undefined) {
          // A body waits for the database. One that runs again starts what may have ended long ago.
          const purged = Effect.catchTag(started, "ExecutionPurged", () => Effect.void)
          return yield* Effect.orDie(Effect.asVoid(Store.persistently(purged)))
        }
        const execution = yield* Effect.orDie(started)
        if (discard) return
        const isOpen = execution.end === undefined
        return yield* resultOf(
          workflow,
          isOpen ? yield* Store.persistently(untilEnd(executionId)) : execution
        )
      })

    /** The result of a signal, or of a pause. Undefined: the body waits for it. */
    const deferredResult = <A extends Schema.Schema.Any, E extends Schema.Schema.All>(
      deferred: { readonly name: string } & codecs.Schemas<A, E>
    ) =>
      Effect.gen(function* () {
        const { name } = deferred
        const run = yield* current
        const { executionId } = run.execution
        yield* Effect.annotateCurrentSpan({ executionId })
        yield* refuseInStep(run, yield* WorkflowEngine.WorkflowInstance)
        yield* Text.checkName(name)
        const isPause = name.startsWith(prefix)
        const pause = isPause ? name.slice(prefix.length) : signalName(name)
        if (isPause && (yield* isOver(run, pause))) {
          run.pauses.delete(pause)
          return Exit.void
        }
        if (!isPause && !(yield* hasCancelled(run, pause))) {
          const steps = yield* Store.persistently(store.steps(executionId))
          const signal = steps.find((step) => step.name === pause)
          if (signal !== undefined) {
            run.pauses.delete(pause)
            return yield* read(run, pause, codecs.endCodec(deferred), signal.exit)
          }
        }
        run.pauses.add(pause)
        // Activities beside it begin first, and the body is suspended after them.
        yield* Effect.yieldNow()
        return undefined
      })

    const operator = forOperator(store, lookNow)
    const encoded = WorkflowEngine.makeUnsafe({
      register: (workflow, execute) =>
        Effect.gen(function* () {
          const { name } = workflow
          if (workflows.has(name)) {
            return yield* Effect.dieMessage(
              `two workflows have the name ${name}: give each definition its own name, and use the layer of a workflow once`
            )
          }
          // Runs end together, after nothing more begins.
          const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
          // The services of its layer, and not of whoever starts an execution: such as the account of another tenant.
          const runtime = Runtime.updateContext(yield* Effect.runtime<never>(), (context) =>
            Context.add(
              Context.omit(
                WorkflowEngine.WorkflowInstance,
                Scope.Scope,
                Tracer.ParentSpan
              )(context),
              WorkflowEngine.WorkflowEngine,
              engine
            )
          )
          workflows.set(name, { workflow, execute, runtime, scope })
          yield* Effect.addFinalizer(() => Effect.sync(() => workflows.delete(name)))
          yield* lookNow
        }),
      // A conditional type, which TypeScript cannot narrow.
      execute: execute as WorkflowEngine.Encoded["execute"],
      poll: (workflow, executionId) =>
        Effect.flatMap(
          Store.persistently(store.read(executionId)),
          Option.match({
            onNone: () => Effect.succeed(undefined),
            onSome: (execution) => resultOf(workflow, execution)
          })
        ),
      interrupt: (_, executionId) => Store.persistently(operator.interrupt(executionId)),
      resume: (_, executionId) => Store.persistently(operator.resume(executionId)),
      activityExecute,
      deferredResult,
      deferredDone: ({ deferredName, executionId, exit }) =>
        Effect.gen(function* () {
          yield* Text.checkName(deferredName)
          const name = signalName(deferredName)
          const encoded = codecs.stepCodec.encode(`the signal ${deferredName}`, exit)
          const { json } = yield* Effect.catchAll(encoded, Effect.dieMessage)
          const wakeUp = wake(executionId)
          const body = yield* Effect.serviceOption(WorkflowEngine.WorkflowInstance)
          // A body that runs again repeats its signals: to wake a body each time would never end.
          if (Option.exists(body, (body) => body.executionId === executionId)) {
            const run = yield* runOf(executionId)
            // A race that ends because the run does has no result.
            if (Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause)) return
            if (run.unreadable !== undefined) return
            run.pauses.delete(name)
            if ((yield* resultsOf(run)).has(name)) return
            yield* keep(run, name, json)
            return yield* wakeUp
          }
          const sender = Option.flatMapNullable(body, ({ executionId }) => runs.get(executionId))
          const sent = `sent/${executionId}/${deferredName}`
          if (Option.isSome(sender) && (yield* resultsOf(sender.value)).has(sent)) return
          const storedMillis = yield* store.runners.now
          yield* Store.persistently(store.signal(executionId, { name, exit: json, storedMillis }))
          yield* wakeUp
          if (Option.isSome(sender)) yield* mark(sender.value, sent)
        }),
      scheduleClock: (_, { clock, executionId }) =>
        Effect.gen(function* () {
          const run = runs.get(executionId)
          if (run === undefined || run.clocks.has(clock.name)) return
          const now = yield* store.runners.now
          const dueMillis = now + Duration.toMillis(clock.duration)
          run.clocks.set(clock.name, Math.min(dueMillis, Execution.never))
        })
    })
    // These two decode what they read. Effect's would compile the schema of each activity anew, at many times its cost.
    const engine: WorkflowEngine.WorkflowEngine["Type"] = {
      ...encoded,
      activityExecute,
      deferredResult
    }

    const isHealthy = beats.pipe(
      Effect.timeout(healthTimeout),
      Effect.orElseSucceed(() => false)
    )
    return Context.make(WorkflowEngine.WorkflowEngine, engine).pipe(
      Context.add(Engine.Engine, { ...operator, start, untilEnd, isHealthy })
    )
  })

/**
 * Effect's engine on a store of executions, in which an operator finds them by key. A runner owns an execution while
 * it runs its body, and can store results only while it does.
 *
 * `ClusterWorkflowEngine` keeps each step as a message, which costs four times as much, loses wake-ups
 * (Effect-TS/effect #6318, #8195), and fails executions whose database is away.
 */
export const layer = (store: EngineStore, options: runners.Options) =>
  Layer.scopedContext(make(store, options))
