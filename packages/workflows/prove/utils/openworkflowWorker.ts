/** A process that is killed: runs the jobs of the kill test on openworkflow. */
import * as Steps from "@manilla/workflows/Steps"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { OpenWorkflow } from "openworkflow"
import { BackendPostgres } from "openworkflow/postgres"
import * as parts from "./stepsParts.js"
import * as workerParts from "./workerParts.js"

const runtime = ManagedRuntime.make(Layer.provideMerge(parts.workflows, Steps.layer))
const backend = await BackendPostgres.connect(parts.settings.engine.url)
const openworkflow = new OpenWorkflow({ backend })

const execute = parts.executor((workflow) => {
  const run = Steps.runner(workflow, runtime)
  const defined = openworkflow.defineWorkflow<
    Steps.Payload<typeof workflow>,
    Steps.End<typeof workflow>
  >({ name: workflow.name, retryPolicy: { maximumAttempts: 0 } }, ({ input, step }) =>
    run(input, {
      id: input.key,
      run: (name, f) => step.run({ name, retryPolicy: { maximumAttempts: 0 } }, f),
      sleep: (name, millis) => step.sleep(name, `${millis}ms`)
    })
  )
  return (payload) =>
    Effect.gen(function* () {
      const idempotencyKey = yield* Steps.keyOf(workflow, payload)
      const handle = yield* Effect.promise(() => defined.run(payload, { idempotencyKey }))
      const end = yield* Effect.promise(() => handle.result({ timeoutMs: 86_400_000 }))
      return yield* Steps.endOf(workflow, end)
    })
})

await openworkflow.newWorker({ concurrency: 10 }).start()
await Effect.runPromise(workerParts.ends(parts.settings, execute))
