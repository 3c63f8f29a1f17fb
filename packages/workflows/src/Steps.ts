/**
 * Runs workflows on any durable engine that stores the result of a step and has a durable pause, such as DBOS, Restate,
 * openworkflow, Inngest or Cloudflare Workflows: the workflows of this package, and any other of Effect's `Workflow.make`.
 * `@manilla/workflows/dbos` and `@manilla/workflows/restate` are ready to use.
 *
 * The engine beneath owns an execution: it starts, lists, cancels and deletes it, and after a crash, it runs the body again
 * with the results that it has stored. The steps of a body run one after another. A body that waits for a signal or for
 * another execution dies there: `Steps` has neither.
 *
 * @since 0.1.0
 */
import type * as Workflow from "@effect/workflow/Workflow"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Issues from "@manilla/core/Issues"
import * as Encoding from "@manilla/workflow-engine/Encoding"
import * as Execution from "@manilla/workflow-engine/Execution"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import { isKeyed } from "./internal/keyed.js"
import * as life from "./internal/life.js"

/**
 * An execution of the engine beneath, in one of its lives: its id, a step and a pause. Your editor shows the description of
 * each member.
 *
 * @since 0.1.0
 * @category models
 */
export type Steps = life.Steps

type Body = (
  payload: object,
  executionId: string
) => Effect.Effect<
  unknown,
  unknown,
  WorkflowEngine.WorkflowEngine | WorkflowEngine.WorkflowInstance
>

/**
 * The bodies of workflows, whose layers are built with `layer`.
 *
 * @since 0.1.0
 * @category services
 */
export class Bodies extends Context.Tag("@manilla/workflows/Steps/Bodies")<
  Bodies,
  ReadonlyMap<string, Body>
>() {}

/**
 * The engine for the layers of workflows.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Bodies | WorkflowEngine.WorkflowEngine> = Layer.effectContext(
  Effect.sync(() => {
    const bodies = new Map<string, Body>()
    const engine = life.outside(({ name }, execute) =>
      Effect.suspend(() => {
        if (bodies.has(name)) return Effect.dieMessage(`two workflows have the name ${name}`)
        bodies.set(name, execute)
        return Effect.void
      })
    )
    return Context.make(WorkflowEngine.WorkflowEngine, engine).pipe(Context.add(Bodies, bodies))
  })
)

/**
 * The end of a workflow as JSON, as the engine beneath stores it: a success with its `value`, or a failure with its `cause`.
 *
 * @since 0.1.0
 * @category models
 */
export type End<W extends Workflow.Any> = Schema.ExitEncoded<
  W["successSchema"]["Encoded"],
  W["errorSchema"]["Encoded"],
  unknown
>

/**
 * The payload of a workflow as JSON.
 *
 * @since 0.1.0
 * @category models
 */
export type Payload<W extends Workflow.Any> = W["payloadSchema"]["Encoded"]

/** Decodes a payload. Without the services that its schema needs, as the engines do. */
const payloadOf = Encoding.memoize(({ ast }: Workflow.AnyStructSchema) =>
  Schema.decodeUnknownEither(Schema.make<object, unknown>(ast))
)

/** Decodes a payload. */
const decoded = (workflow: Workflow.Any, payload: unknown) =>
  Effect.mapError(payloadOf(workflow.payloadSchema)(payload), ({ issue }) => {
    const businessKey = Execution.keyIn(payload) ?? ""
    const issues = Issues.fromParseIssue(issue)
    return new Execution.InvalidPayload({ workflow: workflow.name, businessKey, issues })
  })

/** The key of a decoded payload; without one, its id. */
const keyIn = (workflow: Workflow.Any, payload: object) => {
  const key = Execution.keyIn(payload)
  return key === undefined ? workflow.executionId(payload) : Effect.succeed(key)
}

/**
 * Checks a payload before it is given to the engine beneath, and returns its key: the `id` of an execution.
 *
 * @since 0.1.0
 * @category running
 */
export const keyOf = <W extends Workflow.Any>(
  workflow: W,
  payload: Payload<W>
): Effect.Effect<string, Execution.InvalidPayload> =>
  Effect.flatMap(decoded(workflow, payload), (it) => keyIn(workflow, it))

/**
 * Another id of an execution, of 32 hexadecimal digits, for an engine beneath that does not take every key.
 *
 * @since 0.1.0
 * @category running
 */
export const idOf = <W extends Workflow.Any>(
  workflow: W,
  payload: Payload<W>
): Effect.Effect<string, Execution.InvalidPayload> =>
  Effect.flatMap(decoded(workflow, payload), workflow.executionId)

/**
 * The error of a `runner` whose process cannot run the execution: the layer of its workflow is missing or cannot be built, or
 * a stored result does not fit its schema. The execution has not ended. An engine that would end it must not see this error.
 *
 * @since 0.1.0
 * @category errors
 */
export const CannotRun = life.CannotRun

/** One life of an execution. Its end, as it is stored. */
const lifeOf = (workflow: Workflow.Any, payload: unknown, steps: Steps) =>
  Effect.gen(function* () {
    const { name } = workflow
    const body = (yield* Bodies).get(name)
    if (body === undefined) {
      const cause = new CannotRun(
        `${name}: no process can run it without its layer. Provide it to \`Steps.layer\`.`
      )
      return yield* new life.LifeEnded({ cause })
    }
    const given = yield* decoded(workflow, payload)
    const key = yield* keyIn(workflow, given)
    const executionId = isKeyed(workflow)
      ? Execution.idOf(name, key)
      : yield* workflow.executionId(given)
    if (steps.id !== key && steps.id !== executionId) {
      const rule = `must be the id of the execution, "${steps.id}": two executions with one key could each take the refusal of the other for its own`
      const issues = [{ field: "key", rule }]
      return yield* new Execution.InvalidPayload({ workflow: name, businessKey: key, issues })
    }
    return yield* life.make(workflow, executionId, steps).run(body(given, executionId))
  }).pipe(
    // An end: a next life would not find another payload.
    Effect.catchTag("InvalidPayload", (error) => Effect.succeed(Exit.die(error))),
    Effect.flatMap((exit) => {
      const codec = Encoding.endCodec<Schema.Schema.Any, Schema.Schema.All>(workflow)
      const { maxBytes = Infinity } = steps
      return codec.store(`${workflow.name}: the end of ${steps.id}`, exit, { maxBytes })
    })
  )

/**
 * Runs a workflow on the steps of another engine, to its end. An invalid payload is a defect, and nothing is sent then.
 *
 * If the engine beneath ends this life before the end, dies with what that threw. Most engines need exactly this error:
 * take `runner` there.
 *
 * @since 0.1.0
 * @category running
 */
export const execute = <W extends Workflow.Any>(
  workflow: W,
  payload: Payload<W>,
  steps: Steps
): Effect.Effect<W["successSchema"]["Type"], W["errorSchema"]["Type"], Bodies> =>
  lifeOf(workflow, payload, steps).pipe(
    Effect.catchTag("LifeEnded", ({ cause }) => Effect.die(cause)),
    Effect.flatMap(({ exit }) => exit)
  )

/**
 * A function for the engine beneath, which runs a workflow to its end. The promise rejects only if this life ends before,
 * with what the engine beneath threw. A workflow that fails is an end too: an engine that sees no error runs nothing again.
 *
 * @example
 * import * as FetchClient from "@manilla/core/FetchClient"
 * import * as Payouts from "@manilla/payouts/Payouts"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Steps from "@manilla/workflows/Steps"
 * import * as Layer from "effect/Layer"
 * import * as ManagedRuntime from "effect/ManagedRuntime"
 *
 * const runtime = ManagedRuntime.make(
 *   DisbursePayout.layer.pipe(
 *     Layer.provideMerge(Steps.layer),
 *     Layer.provide(Payouts.layer),
 *     Layer.provide(Manilla.layerConfig()),
 *     Layer.provide(FetchClient.layer)
 *   )
 * )
 * const pay = Steps.runner(DisbursePayout.workflow, runtime)
 * // In a workflow of the engine beneath: await pay(payload, { id, run, sleep })
 *
 * @since 0.1.0
 * @category running
 */
export const runner = <W extends Workflow.Any, E>(
  workflow: W,
  runtime: ManagedRuntime.ManagedRuntime<Bodies, E>
): ((payload: Payload<W>, steps: Steps) => Promise<End<W>>) => {
  return async (payload, steps) => {
    const exit = await runtime.runPromiseExit(lifeOf(workflow, payload, steps))
    if (Exit.isSuccess(exit)) return JSON.parse(exit.value.json)
    const error = Cause.squash(exit.cause)
    if (error instanceof life.LifeEnded) throw error.cause
    throw new CannotRun(`${workflow.name}: its layers cannot be built`, { cause: error })
  }
}

/**
 * Reads the end of a workflow: succeeds or fails as its body did.
 *
 * @since 0.1.0
 * @category getters
 */
export const endOf = <W extends Workflow.Any>(
  workflow: W,
  end: End<W>
): Effect.Effect<W["successSchema"]["Type"], W["errorSchema"]["Type"]> =>
  Effect.gen(function* () {
    const codec = Encoding.endCodec<W["successSchema"], W["errorSchema"]>(workflow)
    return yield* yield* Effect.orDie(codec.fromJson(JSON.stringify(end)))
  })
