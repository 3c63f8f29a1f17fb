/** One life of an execution on an engine beneath: from a start of its body to its end, or to the end of the process. */
import type * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Body from "@manilla/workflow-engine/Body"
import * as Encoding from "@manilla/workflow-engine/Encoding"
import * as Names from "@manilla/workflow-engine/Names"
import { checkName } from "@manilla/workflow-engine/Text"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as blocks from "./blocks.js"

/** See `Steps` of the module `Steps`. */
export interface Steps {
  /**
   * Its id, the same in every life: `keyOf` of the payload, or `idOf` if the engine beneath does not take every key. So no
   * two executions have one key.
   */
  readonly id: string
  /**
   * Runs a step and stores its text before it returns, or returns the text that an earlier life has stored. The step never
   * throws, and may run again if its text was not stored. If `run` throws, it ends this life, and the body sees nothing of it.
   * If two lives may go on at once, it must throw in the older one: otherwise a refusal of one could hide the payment of the
   * other.
   */
  readonly run: (name: string, step: () => Promise<string>) => Promise<string>
  /** A durable pause. If it throws, it ends this life. */
  readonly sleep: (name: string, millis: number) => Promise<void>
  /** The size of the largest text that it stores, in bytes of UTF-8. No limit by default. */
  readonly maxBytes?: number | undefined
}

/** This life ended before the body did, such as because the engine beneath cancelled the execution. */
export class LifeEnded extends Data.TaggedError("LifeEnded")<{
  /** The error of the engine beneath, unchanged, or an error about it. */
  readonly cause: unknown
}> {}

/** This process cannot run the execution now: another one can, or a next life. Nothing was sent in this one since. */
export class CannotRun extends Error {
  override readonly name = "CannotRun"
}

const missing = ({ name }: Workflow.Any, what: string, remedy: string) =>
  Effect.dieMessage(`${name}: ${what}, and \`Steps\` offers no such thing. ${remedy}`)

const operate = (what: string) => (workflow: Workflow.Any) =>
  missing(workflow, what, "Ask the engine beneath, which owns the execution.")

const clockPrefix = "DurableClock/"

/** Whether this fiber was interrupted from outside, as in a shutdown: its finalizers must not pay. An interrupt of its own is an end. */
const isCut = (fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
  !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))

/** The engine outside of an execution: it only notes the bodies of workflows. */
export const outside = (
  register: WorkflowEngine.Encoded["register"]
): WorkflowEngine.WorkflowEngine["Type"] =>
  WorkflowEngine.makeUnsafe({
    register,
    execute: operate("an execution is started, but not by the engine beneath"),
    poll: operate("an execution is polled"),
    interrupt: operate("an execution is interrupted"),
    resume: operate("an execution is resumed"),
    activityExecute: ({ name }) => Effect.dieMessage(`the activity "${name}" is in no execution`),
    deferredResult: ({ name }) => Effect.dieMessage(`the signal "${name}" is in no execution`),
    deferredDone: ({ deferredName }) =>
      Effect.dieMessage(
        `the signal "${deferredName}" has no receiver: \`Steps\` offers no signals. Send it with the engine beneath.`
      ),
    scheduleClock: operate("a pause is in no execution")
  })

/** A new life. */
export const make = (workflow: Workflow.Any, executionId: string, steps: Steps) => {
  const instance = WorkflowEngine.WorkflowInstance.initial(workflow, executionId)
  const { maxBytes = Infinity } = steps
  const staysOpen = Context.get(workflow.annotations, Workflow.SuspendOnFailure)
  const used = new Set<string>()
  let ended: LifeEnded | undefined
  let bodyFiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  /** Ends the execution, also if the body would catch a defect. */
  let refusal: Exit.Exit<never> | undefined

  /** Ends this life. The body cannot catch it, and nothing is undone. */
  const stop = (cause: unknown): Effect.Effect<never> =>
    Effect.suspend(() => {
      ended ??= new LifeEnded({ cause })
      return Workflow.suspend(instance)
    })

  /** Asks the engine beneath, once for each name. */
  const ask = <A>(name: string, promise: () => Promise<A>): Effect.Effect<A> =>
    Effect.withFiberRuntime((fiber) => {
      // The end of this life interrupts it too.
      if (isCut(fiber)) return Workflow.suspend(instance)
      if (Context.get(fiber.currentContext, Body.InStepOf) === executionId) {
        return Effect.dieMessage(
          `${workflow.name}: "${name}" is in a step, of which only the result is stored. Put it into the body, before or after.`
        )
      }
      if (fiber !== bodyFiber) {
        // No later life would repeat the order of its steps.
        const message = `${workflow.name}: the step "${name}" runs beside something else, such as in a race, a timeout or a concurrent \`Effect.all\`. Run steps one after another, in the body itself.`
        refusal ??= Exit.die(message)
        bodyFiber?.unsafeInterruptAsFork(fiber.id())
        return Workflow.suspend(instance)
      }
      if (used.has(name)) {
        return Effect.dieMessage(
          `${workflow.name}: two steps have the name "${name}". Give each its own; a loop puts its index into the name.`
        )
      }
      used.add(name)
      // In an object: Effect fails with a proxy of an error, and the engine beneath needs its own.
      const asked = Effect.tryPromise({ try: promise, catch: (cause) => new LifeEnded({ cause }) })
      return Effect.zipRight(
        checkName(Names.chosen(name)),
        Effect.catchAll(asked, ({ cause }) => stop(cause))
      )
    })

  /** Runs a step and stores its exit, or returns the exit that an earlier life has stored. */
  const runStep = <A, E, R>(
    name: string,
    codec: Encoding.ExitCodec<A, E>,
    exit: Effect.Effect<Exit.Exit<A, E>, never, R>,
    instead?: Encoding.StoreOptions<A, E>["instead"]
  ) =>
    Effect.gen(function* () {
      const subject = `${workflow.name}: the result of "${name}" of ${steps.id}`
      let own: Encoding.EncodedExit<A, E> | undefined
      const execute = exit.pipe(
        Effect.flatMap((exit) => codec.store(subject, exit, { maxBytes, instead })),
        Effect.map((stored) => (own = stored).json)
      )
      const runtime = yield* Effect.runtime<R>()
      // It never rejects: an engine beneath that retries would find nothing to retry. It is not interrupted with the body.
      const run = () => Runtime.runPromise(runtime)(execute)
      const text = yield* ask(name, () => steps.run(name, run))
      if (text === own?.json) return own.exit
      return yield* Effect.catchAll(codec.fromJson(text), () =>
        stop(
          new CannotRun(
            `${subject}, as it is stored, does not fit the schema of this process. Run the version that stored it, and give the changed workflow a new name.`
          )
        )
      )
    })

  const activityExecute = <A extends Schema.Schema.Any, E extends Schema.Schema.All, R>(
    activity: Activity.Activity<A, E, R>,
    attempt: number
  ) =>
    runStep(
      `${activity.name}/${attempt}`,
      Encoding.endCodec(activity),
      Effect.exit(Effect.scoped(activity.execute)).pipe(
        Effect.provideService(Body.InStepOf, executionId)
      )
    ).pipe(Effect.map((exit) => new Workflow.Complete({ exit })))

  const waitFor = (name: string) =>
    missing(
      workflow,
      `the body waits for "${name}", a signal or a race`,
      "Look for it with `Durable.pollUntil`, or start the workflow after it."
    )

  const deferredResult: WorkflowEngine.WorkflowEngine["Type"]["deferredResult"] = ({ name }) =>
    name.startsWith(clockPrefix) && used.has(name.slice(clockPrefix.length))
      ? Effect.succeed(Exit.void)
      : waitFor(name)

  /** The steps of blocks, without the schemas and the retries of an activity, which cost as much as the step. */
  const run: Body.Run = {
    ...blocks.elsewhere(instance),
    step: (step) =>
      Effect.flatten(
        runStep(
          `${step.name}/1`,
          Encoding.exitCodec(step.success, step.error),
          Body.runStep(step, executionId),
          step.instead
        )
      ),
    signal: ({ name }) => waitFor(name)
  }

  const engine: WorkflowEngine.WorkflowEngine["Type"] = {
    ...outside(() => Effect.dieMessage("a body has no layers of workflows")),
    execute: (other) =>
      missing(
        workflow,
        `the body executes ${other.name}`,
        "Put its steps into this body, or let the engine beneath start it."
      ),
    deferredDone: (_, { deferredName }) =>
      missing(
        workflow,
        `the body sends the signal "${deferredName}"`,
        "Send it with the engine beneath, in a step."
      ),
    activityExecute,
    deferredResult,
    scheduleClock: (_, { clock: { duration, name } }) =>
      ask(name, () => steps.sleep(name, Duration.toMillis(duration)))
  }

  /** Runs a body in this life, to its end. */
  const runBody = <A, E>(
    body: Effect.Effect<A, E, WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance>
  ): Effect.Effect<Exit.Exit<A, E>, LifeEnded> =>
    Effect.withFiberRuntime<A, E, WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance>(
      (fiber) => {
        bodyFiber = fiber
        return body
      }
    ).pipe(
      Effect.onExit((exit) =>
        Effect.withFiberRuntime<void>((fiber) => {
          instance.suspended ||= isCut(fiber)
          const goesOn = instance.suspended || (staysOpen && Exit.isFailure(exit))
          // Compensations are steps: they run in the fiber of the body.
          return goesOn ? Effect.void : Scope.close(instance.scope, exit)
        })
      ),
      Workflow.intoResult,
      // The services of its layer, and not those of the caller, which may have the account of another tenant.
      Effect.mapInputContext((input: Context.Context<never>) => {
        const own = Context.make(WorkflowEngine.WorkflowEngine, engine).pipe(
          Context.add(WorkflowEngine.WorkflowInstance, instance),
          Context.add(Body.CurrentRun, Option.some(run))
        )
        return Option.match(Context.getOption(input, Tracer.ParentSpan), {
          onNone: () => own,
          onSome: (span) => Context.add(own, Tracer.ParentSpan, span)
        })
      }),
      Effect.exit,
      Effect.flatMap((result) => {
        if (ended !== undefined) return ended
        if (refusal !== undefined) return Effect.succeed(refusal)
        if (Exit.isFailure(result)) {
          return Cause.isInterruptedOnly(result.cause)
            ? Effect.succeed(Exit.interrupt(FiberId.none))
            : new LifeEnded({ cause: Cause.squash(result.cause) })
        }
        if (result.value._tag === "Complete") return Effect.succeed(result.value.exit)
        const message = `${workflow.name}: ${steps.id} was interrupted before its end, and goes on in its next life`
        const { cause } = result.value
        return new LifeEnded({ cause: cause ? Cause.squash(cause) : new CannotRun(message) })
      })
    )
  return { run: runBody }
}
