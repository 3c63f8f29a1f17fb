/**
 * Runs workflows on [DBOS](https://docs.dbos.dev), whose executions are rows in a PostgreSQL of yours. It needs
 * `@dbos-inc/dbos-sdk`.
 *
 * The id of an execution is its key. All workflows of a DBOS database share its ids, so two of them cannot have the same key.
 * A process that starts again goes on with the executions of its `executorID`: give each process one of its own that
 * stays the same after a restart.
 *
 * @since 0.1.0
 */
import { DBOS, Error as DbosErrors, type WorkflowHandle } from "@dbos-inc/dbos-sdk"
import type * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import { AsyncLocalStorage } from "node:async_hooks"
import { samePayload } from "./internal/samePayload.js"
import * as Steps from "./Steps.js"

/** An execution. */
interface Found<W extends Workflow.Any> {
  readonly payload: Steps.Payload<W>
  readonly end: Exit.Exit<W["successSchema"]["Type"], W["errorSchema"]["Type"]> | undefined
  /** Why DBOS stopped it before its end, and the remedy. */
  readonly stopped: string | undefined
}

/** An execution that DBOS has ended, without an end of its body. One with an error cannot be resumed. */
const stoppedAs = (key: string): Readonly<Record<string, string | undefined>> => {
  const resume = `\`DBOS.resumeWorkflow("${key}")\` continues its execution.`
  return {
    CANCELLED: `It was cancelled in DBOS. ${resume}`,
    MAX_RECOVERY_ATTEMPTS_EXCEEDED: `DBOS has given it up after too many recoveries. ${resume}`,
    ERROR: `DBOS has ended it with an error. After \`DBOS.deleteWorkflow("${key}")\`, its batch continues the same request with the same key in another execution.`
  }
}

/**
 * Registers a workflow. Call it before `DBOS.launch`, and `start` or `execute` after that.
 *
 * - `start` returns once DBOS has stored the execution. With the same payload, it may be called again.
 * - `execute` starts the workflow, or finds its execution, and waits for the end.
 * - `await` waits for the end of the execution with a key.
 * - `find` returns the payload of the execution with a key, and its end if it has ended, or why DBOS stopped it before.
 *
 * If DBOS fails, such as without its database, or ends an execution, such as by `cancelWorkflow`, its error is a defect.
 *
 * @example
 * import { DBOS } from "@dbos-inc/dbos-sdk"
 * import * as FetchClient from "@manilla/core/FetchClient"
 * import * as Payouts from "@manilla/payouts/Payouts"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Steps from "@manilla/workflows/Steps"
 * import * as Dbos from "@manilla/workflows/dbos"
 * import * as Effect from "effect/Effect"
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
 * const payouts = Dbos.register(DisbursePayout.workflow, runtime)
 *
 * const pay = async (payload: Steps.Payload<typeof DisbursePayout.workflow>) => {
 *   await DBOS.launch()
 *   return Effect.runPromise(payouts.execute(payload))
 * }
 *
 * @since 0.1.0
 * @category running
 */
export const register = <W extends Workflow.Any, E>(
  workflow: W,
  runtime: ManagedRuntime.ManagedRuntime<Steps.Bodies, E>
) => {
  const run = Steps.runner(workflow, runtime)
  // In an execution, such as that of a batch, DBOS takes each call for a step of it, in an order that no later life repeats.
  const outside = AsyncLocalStorage.snapshot()
  const ask = <A>(promise: () => Promise<A>) => Effect.promise(() => outside(promise))
  const registered = DBOS.registerWorkflow(
    (payload: Steps.Payload<W>) => {
      // DBOS finds its execution in the asynchronous context. Fibers of other executions share the turns of this one.
      const within = AsyncLocalStorage.snapshot()
      return run(payload, {
        id: DBOS.workflowID ?? "",
        run: (name, step) => within(() => DBOS.runStep(step, { name })),
        sleep: (_, millis) => within(() => DBOS.sleepms(millis))
      }).catch((error: unknown) => {
        if (!(error instanceof Steps.CannotRun)) throw error
        // DBOS would end the execution for good. It stays pending, and goes on when a process starts that can run it.
        DBOS.logger.error(error)
        return new Promise<never>(() => {})
      })
    },
    { name: workflow.name }
  )

  const handleOf = (key: string) => DBOS.retrieveWorkflow<Steps.End<W>>(key)
  const resultOf = (handle: WorkflowHandle<Steps.End<W>>) => ask(() => handle.getResult())
  const ended = (handle: WorkflowHandle<Steps.End<W>>) =>
    Effect.flatMap(resultOf(handle), (end) => Steps.endOf(workflow, end))

  const start = (payload: Steps.Payload<W>) =>
    Effect.gen(function* () {
      const workflowID = yield* Steps.keyOf(workflow, payload)
      const begin = DBOS.startWorkflow(registered, { workflowID, workflowIDReusePolicy: "reject" })
      const handle = yield* ask(() =>
        begin(payload).catch((error: unknown) => {
          if (!DbosErrors.isWorkflowIDInUseError(error)) throw error
        })
      )
      if (handle !== undefined) return handle
      const status = yield* ask(() => DBOS.getWorkflowStatus(workflowID))
      const stored = { workflow: status?.workflowName, ...Object(status?.input?.[0]) }
      yield* samePayload(workflow, workflowID, stored, { workflow: workflow.name, ...payload })
      return handleOf(workflowID)
    })

  /** None for an execution of another workflow. */
  const find = (key: string): Effect.Effect<Option.Option<Found<W>>> =>
    Effect.gen(function* () {
      const found = yield* ask(() => DBOS.getWorkflowStatus(key))
      if (found?.workflowName !== workflow.name) return Option.none()
      const now = { payload: found.input?.[0], stopped: stoppedAs(key)[found.status] }
      if (found.status !== "SUCCESS") return Option.some({ ...now, end: undefined })
      // If the database is away, that is no end.
      const result = yield* resultOf(handleOf(key))
      return Option.some({ ...now, end: yield* Effect.exit(Steps.endOf(workflow, result)) })
    })

  return {
    start: (payload: Steps.Payload<W>) => Effect.asVoid(start(payload)),
    find,
    execute: (payload: Steps.Payload<W>) => Effect.flatMap(start(payload), ended),
    await: (key: string) => Effect.suspend(() => ended(handleOf(key)))
  }
}
