import type * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as Body from "../Body.js"
import { endCodec, type Schemas } from "../Encoding.js"
import * as Engine from "../Engine.js"
import * as Execution from "../Execution.js"
import * as Names from "../Names.js"
import * as Store from "../Store.js"
import * as Text from "../Text.js"
import * as codecs from "./codecs.js"
import { type EngineStore, forOperator } from "./engineStore.js"
import { make as makeRuns, stop } from "./run.js"
import * as runners from "./runner.js"
import * as starts from "./starts.js"

const healthTimeout = Duration.seconds(5)

const prefix = "DurableClock/"
const remedy =
  "Wait in the body itself: `Durable.signal({ name, success, deadline })` waits for a signal until its deadline. Race effects in one activity, which stores the first."

const make = (store: EngineStore, options: runners.Options) =>
  Effect.gen(function* () {
    const outage = Store.noOutage()
    const persistently = Store.patient(outage)
    const runs = makeRuns(store, persistently)
    const { beats, insert, takeNow, untilEnd, wake, workflows } = yield* runners.make(runs, options)
    /** Interrupts every fiber that waits for this engine when the engine closes. */
    const closed = yield* Deferred.make<never>()
    yield* Effect.addFinalizer(() => Deferred.interrupt(closed))
    const untilClosed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.raceFirst(effect, Effect.interruptible(Deferred.await(closed)))

    const starting = starts.make(runs, insert)

    /** The result of an execution: it has ended, or waits. Undefined if it runs. */
    const resultOf = (workflow: Workflow.Any, execution: Execution.Execution) =>
      Effect.gen(function* () {
        if (execution.end !== undefined) {
          const exit = yield* Effect.orDie(codecs.readEnd(workflow, execution))
          return new Workflow.Complete({ exit })
        }
        if (execution.pause === undefined) return undefined
        return new Workflow.Suspended({ cause: yield* codecs.readCause(execution) })
      })

    /** Runs an activity in the fiber of its execution, and stores its result in one statement. */
    const activityExecute = <A extends Schema.Schema.Any, E extends Schema.Schema.All, R>(
      activity: Pick<Activity.Activity<A, E, R>, "name" | "execute" | keyof Schemas<A, E>>,
      attempt: number
    ) =>
      Effect.gen(function* () {
        const { executionId, workflow } = yield* WorkflowEngine.WorkflowInstance
        const run = yield* runs.of(executionId)
        const name = `${activity.name}/${attempt}`
        yield* Text.checkName(activity.name)
        if (Names.parseStep(name) !== undefined && !run.results.has(name)) {
          const what = `the activity "${activity.name}" has the name of a step of the engine. Give it another name.`
          return yield* runs.refuse(run, what)
        }
        const isNested = (yield* Body.InStepOf) === executionId
        if (!isNested) yield* runs.failIfCancelled(run, name, run.results.has(name))
        const execute = activity.execute.pipe(
          Effect.scoped,
          Effect.exit,
          Effect.provideService(WorkflowEngine.WorkflowEngine, engine),
          Effect.provideService(
            WorkflowEngine.WorkflowInstance,
            WorkflowEngine.WorkflowInstance.initial(workflow, executionId)
          ),
          Effect.provideService(Body.InStepOf, executionId)
        )
        const codec = endCodec(activity)
        const exit = yield* (isNested ? runs.runStep : runs.tryStep)(run, name, codec, execute)
        return new Workflow.Complete({ exit })
      }).pipe(Effect.catchTag("ExecutionCancelled", codecs.cancelled))

    const execute = (
      workflow: Workflow.Any,
      { discard, executionId, parent, payload }: Parameters<WorkflowEngine.Encoded["execute"]>[1]
    ): Effect.Effect<Workflow.Result<unknown, unknown> | void> =>
      Effect.gen(function* () {
        if (parent !== undefined) {
          const begin = discard ? starting.startOther : starting.awaitOther
          return yield* begin(workflow, executionId, payload, parent)
        }
        const execution = yield* Effect.orDie(starting.start(workflow, executionId, payload))
        if (discard) return
        const isOpen = execution.end === undefined
        return yield* resultOf(
          workflow,
          isOpen ? yield* untilClosed(persistently(untilEnd(executionId))) : execution
        )
      })

    /** The result of a signal, or of a pause. Undefined: the body waits for it. */
    const deferredResult = <A extends Schema.Schema.Any, E extends Schema.Schema.All>(
      deferred: { readonly name: string } & Schemas<A, E>
    ) =>
      Effect.gen(function* () {
        const { name } = deferred
        const instance = yield* WorkflowEngine.WorkflowInstance
        const isPause = name.startsWith(prefix)
        const pause = isPause ? name.slice(prefix.length) : Names.make("deferred", { of: name })
        const what = isPause ? `the pause "${pause}"` : `the signal "${name}"`
        const run = yield* runs.waiting(instance, what, remedy)
        if (name.startsWith("raceAll/")) return yield* runs.refuse(run, `a race. ${remedy}`)
        yield* Effect.annotateCurrentSpan({ executionId: instance.executionId })
        yield* Text.checkName(isPause ? Names.chosen(pause) : name)
        const signal = isPause ? undefined : yield* runs.sent(run, name)
        const hasEnded = isPause ? yield* runs.isOver(run, pause) : signal !== undefined
        yield* runs.failIfCancelled(run, pause, hasEnded)
        if (isPause && hasEnded) return Exit.void
        if (signal !== undefined) return yield* runs.read(run, pause, endCodec(deferred), signal)
        yield* isPause
          ? runs.wait(run, pause)
          : runs.wait(run, Execution.Pause.signal, Execution.never)
        return undefined
      }).pipe(Effect.catchTag("ExecutionCancelled", (error) => Effect.succeed(Exit.die(error))))

    const operator = forOperator(store, takeNow)
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
          // The services of its layer, and not those of the caller, which may have the account of another tenant.
          const runtime = Runtime.updateContext(yield* Effect.runtime<never>(), (context) =>
            Context.add(
              Context.omit(
                WorkflowEngine.WorkflowInstance,
                Scope.Scope,
                Tracer.ParentSpan
              )(context),
              WorkflowEngine.WorkflowEngine,
              engine
            ).pipe(Context.add(Store.Outage, outage))
          )
          workflows.set(name, { workflow, execute, runtime, scope })
          yield* Effect.addFinalizer(() => Effect.sync(() => workflows.delete(name)))
          yield* takeNow
        }),
      // A conditional type, which TypeScript cannot narrow.
      execute: execute as WorkflowEngine.Encoded["execute"],
      poll: (workflow, executionId) =>
        untilClosed(persistently(store.read(executionId))).pipe(
          Effect.flatMap(Effect.transposeMapOption((found) => resultOf(workflow, found))),
          Effect.map(Option.getOrUndefined)
        ),
      interrupt: (_, executionId) => untilClosed(persistently(operator.interrupt(executionId))),
      resume: (_, executionId) => untilClosed(persistently(operator.resume(executionId))),
      activityExecute,
      deferredResult,
      deferredDone: ({ deferredName, executionId, exit }) =>
        Effect.gen(function* () {
          yield* Text.checkName(deferredName)
          const name = Names.make("deferred", { of: deferredName })
          const encoded = codecs.stepCodec.encode(`the signal ${deferredName}`, exit)
          const { json } = yield* Effect.catchAll(encoded, Effect.dieMessage)
          const body = yield* Effect.serviceOption(WorkflowEngine.WorkflowInstance)
          const sender = Option.isSome(body) ? runs.all.get(body.value.executionId) : undefined
          if (sender !== undefined && sender.phase._tag !== "Running") return yield* stop
          // A body that runs again repeats its signals: to wake a body each time would never end.
          const sent = Names.make("sent", { id: executionId, of: deferredName })
          if (sender?.results.has(sent)) return
          const storedMillis = yield* store.runners.now
          yield* persistently(store.signal(executionId, { name, exit: json, storedMillis }))
          yield* wake(executionId)
          if (sender !== undefined) yield* runs.mark(sender, sent)
        }),
      scheduleClock: (_, { clock, executionId }) =>
        Effect.flatMap(runs.of(executionId), (run) =>
          runs.schedule(run, clock.name, Duration.toMillis(clock.duration))
        )
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
      Context.add(Engine.Engine, {
        ...operator,
        start: starting.start,
        untilEnd: (executionId) => untilClosed(untilEnd(executionId)),
        isHealthy
      })
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
