/**
 * Runs workflows on [Restate](https://docs.restate.dev), a server that calls your process and stores the steps. It needs
 * `@restatedev/restate-sdk`, `@restatedev/restate-sdk-clients` where executions are started, and Node 22.
 *
 * Each workflow is one of Restate's: `Manilla/DisbursePayout/2` has the name `Manilla.DisbursePayout.2` there. The key of an
 * execution is its key.
 *
 * @since 0.1.0
 */
import {
  workflow as define,
  type WorkflowContext,
  type WorkflowSharedContext
} from "@restatedev/restate-sdk"
import type { Ingress } from "@restatedev/restate-sdk-clients"
import type * as Workflow from "@effect/workflow/Workflow"
import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { samePayload } from "./internal/samePayload.js"
import * as Steps from "./Steps.js"

/** The key stays taken for as long as Restate remembers the execution: after that, it could pay again. */
const workflowRetention = { days: 3_650 }

/** Restate's limit is 32 MiB by default, beyond which it asks again for ever. As JSON, a text may be twice as long. */
const maxBytes = 15_000_000

/**
 * Makes a workflow of Restate. Serve its `definition` with `restate.serve`. The other members use Restate's ingress, from any
 * process:
 *
 * - `start` returns once Restate has stored the execution. With the same payload, it may be called again.
 * - `execute` starts the workflow, or finds its execution, and waits for the end.
 * - `await` waits for the end of the execution with a key.
 *
 * If Restate fails, such as because its server is away, or ends an execution, such as by a cancellation, its error is a defect.
 *
 * @example
 * import * as restate from "@restatedev/restate-sdk"
 * import * as clients from "@restatedev/restate-sdk-clients"
 * import * as FetchClient from "@manilla/core/FetchClient"
 * import * as Payouts from "@manilla/payouts/Payouts"
 * import * as Manilla from "@manilla/token/Manilla"
 * import * as DisbursePayout from "@manilla/workflows/DisbursePayout"
 * import * as Steps from "@manilla/workflows/Steps"
 * import * as Restate from "@manilla/workflows/restate"
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
 *
 * const main = async (payload: Steps.Payload<typeof DisbursePayout.workflow>) => {
 *   const payouts = Restate.make(DisbursePayout.workflow, runtime)
 *   await restate.serve({ services: [payouts.definition], port: 9080 })
 *   const ingress = clients.connect({ url: "http://localhost:8080" })
 *   return Effect.runPromise(payouts.execute(ingress, payload))
 * }
 *
 * @since 0.1.0
 * @category running
 */
export const make = <W extends Workflow.Any, E>(
  workflow: W,
  runtime: ManagedRuntime.ManagedRuntime<Steps.Bodies, E>
) => {
  if (!("withResolvers" in Promise)) {
    // Without it, the SDK would fail each attempt, and only its logger would hear of that.
    throw new Error("The SDK of Restate needs Promise.withResolvers: run this on Node 22 or newer.")
  }
  const run = Steps.runner(workflow, runtime)
  const definition = define({
    name: workflow.name.replaceAll("/", "."),
    handlers: {
      run: async (ctx: WorkflowContext, payload: Steps.Payload<W>): Promise<Steps.End<W>> => {
        await ctx.promise<Steps.Payload<W>>("payload").resolve(payload)
        return run(payload, {
          id: ctx.key,
          run: (name, step) => ctx.run(name, step),
          sleep: (name, millis) => ctx.sleep(millis, name),
          maxBytes
        })
      },
      payload: (ctx: WorkflowSharedContext): Promise<Steps.Payload<W>> =>
        ctx.promise<Steps.Payload<W>>("payload").get()
    },
    options: { workflowRetention }
  })

  const start = (ingress: Ingress, payload: Steps.Payload<W>) =>
    Effect.gen(function* () {
      const businessKey = yield* Steps.keyOf(workflow, payload)
      const client = ingress.workflowClient(definition, businessKey)
      const { status } = yield* Effect.promise(() => client.workflowSubmit(payload))
      if (status === "Accepted") return businessKey
      const stored = yield* Effect.promise(async () => client.payload())
      yield* samePayload(workflow, businessKey, stored, payload)
      return businessKey
    })

  const ended = (
    ingress: Ingress,
    key: string
  ): Effect.Effect<W["successSchema"]["Type"], W["errorSchema"]["Type"]> =>
    Effect.flatMap(
      Effect.promise(() => ingress.workflowClient(definition, key).workflowAttach()),
      (end) => Steps.endOf(workflow, end)
    )

  return {
    definition,
    start: (ingress: Ingress, payload: Steps.Payload<W>) => Effect.asVoid(start(ingress, payload)),
    execute: (ingress: Ingress, payload: Steps.Payload<W>) =>
      Effect.flatMap(start(ingress, payload), (key) => ended(ingress, key)),
    await: ended
  }
}
